// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/stored_source.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cache/exchange/exchange_format.h"
#include "cache/exchange/stored_rows.h"
#include "cache/measurement_store.h"
#include "tests/cache/exchange/golden_file.h"
#include "tests/core/status_matchers.h"
#include "tests/runtime/temporary_folder.h"

namespace triode {
namespace {

using ::testing::HasSubstr;

constexpr const char* kCard = "NVIDIA RTX A4000";

// What Kernel Tuner wrote of three configs, the second of which did not compile.
std::vector<KeyedTrial> trials_of_kernel_tuner() {
  const auto file = exchange::golden_file("kernel_tuner_cache.json");
  const auto table = exchange::read_exchange(exchange::ExchangeFormat::kKernelTuner, file, {});
  return exchange::trials_of(*table, exchange::ExchangeFormat::kKernelTuner, file.name());
}

KeyedTrial trial(const std::string& config, double ns, int64_t when = 1) {
  KeyedTrial made;
  made.key = {kCard, to_string(Problem::mm(DType::kF16, 64, 64, 64)), config, {}};
  made.record.measurement = {ns, ns, 0, 3};
  made.record.when_unix_s = when;
  return made;
}

TEST(StoredSource, MakesADeviceOfACacheOfKernelTuner) {
  ReplayDevice device(*make_stored_source(trials_of_kernel_tuner(), kCard, {}), 1);
  const Problem problem = Problem::mm(DType::kF32, 4096, 4096, 1024);
  EXPECT_EQ(device.target().device, kCard);
  const Result<Space> space = device.enumerate(problem);
  ASSERT_TRUE(space.ok());
  EXPECT_EQ(space->count_legal(), 3u);
  const auto works = space->parse("block_size_x=64 block_size_y=2 tile=a use_padding=true");
  const auto fails = space->parse("block_size_x=32 block_size_y=2 tile=b use_padding=false");
  ASSERT_TRUE(works.ok() && fails.ok());
  const auto artifact = device.build(problem, *works);
  ASSERT_TRUE(artifact.ok());
  const auto pair = device.time(**artifact, {}, {}, {});
  EXPECT_GE(pair->candidate.min_ns, 0.0736e6);
  EXPECT_NEAR(pair->candidate.median_ns, 0.0746e6, 0.001e6);
  EXPECT_THAT(device.build(problem, *fails),
              FailsWith(StatusCode::kUnsupported, HasSubstr("compile-failed")));
  EXPECT_FALSE(
      space->parse("block_size_x=16 block_size_y=2 tile=a use_padding=true").ok());  // not tried
}

// With the vendor's times, which stand beside each config's.
TEST(StoredSource, MakesADeviceOfATriodeCache) {
  const TemporaryFolder folder;
  auto store = MeasurementStore::open(folder.path(), StoreMode::kReadWrite);
  ASSERT_TRUE(store.ok());
  Target target;
  target.device = "a cpu";
  target.isa = "avx2";
  target.cores = 2;
  Space space;
  space.add({"isa", {0, 1}, {"avx2", "avx512"}});
  space.add({"mr", {4, 6}, {}});
  const Problem problem = Problem::mm(DType::kF64, 40, 50, 60);
  std::vector<ConfigTrial> trials;
  for (const int32_t mr : {4, 6}) {
    Config config(2);
    config[1] = mr;
    ConfigTrial made{config, {}};
    made.record.measurement = {1000.0 * mr, 990.0 * mr, 0.01, 5};
    made.record.vendor = VendorTime{8000, 8.0 / mr, 0.01};
    trials.push_back(made);
  }
  ASSERT_TRUE((*store)->put_all(target, problem, space, trials).ok());

  std::vector<KeyedTrial> stored;
  ASSERT_TRUE((*store)
                  ->scan({},
                         [&](const SampleKey& key, const TrialRecord& record) {
                           stored.push_back({key, record});
                           return true;
                         })
                  .ok());
  const SpaceOf space_of = [&](const Problem&) { return Result<Space>(space); };
  for (const SpaceOf& of : {SpaceOf(), space_of}) {
    ReplayDevice device(*make_stored_source(stored, "a cpu", of), 1);
    EXPECT_EQ(device.target().cores, 2);
    const Result<Space> replayed = device.enumerate(problem);
    ASSERT_TRUE(replayed.ok());
    EXPECT_EQ(replayed->count_legal(), 2u);
    const auto artifact = device.build(problem, *replayed->parse("isa=avx2 mr=4"));
    ASSERT_TRUE(artifact.ok());
    EXPECT_NEAR(device.time(**artifact, {}, {}, {})->speedup, 2, 0.05);
  }
}

TEST(StoredSource, ReplaysTheLatestOfTrialsOfOneConfig) {
  std::vector<KeyedTrial> trials = {trial("triton block_m=64", 500, 30),
                                    trial("triton block_m=64", 900, 10)};
  trials[1].key.validity.driver = "older";
  const auto source = *make_stored_source(trials, kCard, {});
  const Problem problem = source->problems().at(0);
  const Config only = source->space(problem)->enumerate().at(0);
  EXPECT_EQ(source->trial(problem, only)->median_ns, 500);
}

TEST(StoredSource, ReplaysTheKernelWithTheMostTrials) {
  const auto source = *make_stored_source(
      {trial("other x=1", 500), trial("triton block_m=64", 700), trial("triton block_m=32", 900)},
      kCard, {});
  EXPECT_EQ(source->space(source->problems().at(0))->count_legal(), 2u);
}

TEST(StoredSource, LeavesOutChoicesWithoutATime) {
  KeyedTrial choice = trial("triton block_m=16", 0);
  choice.record.measurement.count = 0;
  const auto source = *make_stored_source({choice, trial("triton block_m=32", 900)}, kCard, {});
  EXPECT_EQ(source->space(source->problems().at(0))->count_legal(), 1u);
  EXPECT_THAT(make_stored_source({choice}, kCard, {}),
              FailsWith(StatusCode::kNotFound, HasSubstr(kCard)));
}

TEST(StoredSource, GivesOneWordToTextsAndToWhatAConfigLacks) {
  const auto source = *make_stored_source(
      {trial("triton layout=\"row major\" x=1", 500), trial("triton x=2", 900)}, kCard, {});
  const Result<Space> space = source->space(source->problems().at(0));
  ASSERT_TRUE(space.ok());
  EXPECT_TRUE(space->parse("layout=none x=2").ok());
  EXPECT_TRUE(space->parse(space->to_string(space->enumerate().at(0))).ok());
}

TEST(StoredSource, OfADeviceThatWasNotTriedNamesTheOthers) {
  EXPECT_THAT(make_stored_source(trials_of_kernel_tuner(), "B200", {}),
              FailsWith(StatusCode::kNotFound, HasSubstr(kCard)));
  EXPECT_THAT(make_stored_source({}, "B200", {}),
              FailsWith(StatusCode::kNotFound, HasSubstr("no trial")));
}

TEST(StoredSource, OfTooManyParametersIsRefused) {
  std::string config = "triton";
  for (char name = 'a'; name <= 'z'; ++name) config += std::string(" ") + name + "=1";
  EXPECT_THAT(make_stored_source({trial(config, 500)}, kCard, {}),
              FailsWith(StatusCode::kUnsupported, HasSubstr("26 parameters; at most 24")));
}

}  // namespace
}  // namespace triode
