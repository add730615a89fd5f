// SPDX-License-Identifier: Apache-2.0
#include "cache/measurement_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <thread>

#include "cache/cache.h"
#include "cache/fold.h"
#include "cache/key_codec.h"
#include "cache/record_codec.h"
#include "tests/cache/raw_database.h"
#include "tests/core/status_matchers.h"
#include "tests/runtime/temporary_folder.h"

namespace triode {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kFamily = "measurements";

TrialRecord took(double median_ns) {
  return {{}, {median_ns, median_ns, 0.01, 5}, 1'800'000'000};
}

TrialRecord failed(OutcomeKind kind, double median_ns = 0, int32_t count = 0) {
  return {{kind, "a reason"}, {median_ns, median_ns, 0, count}, 1'800'000'000};
}

class MeasurementStoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    target.device = "some cpu";
    target.toolchain = "emitter 1";
    space.add({"x", {0, 1, 2, 3, 4, 5, 6, 7}, {}});
    open();
  }

  void open() {
    store.reset();
    store = MeasurementStore::open(path, StoreMode::kReadWrite).take();
  }

  static Config x(int32_t value) {
    Config config(1);
    config[0] = value;
    return config;
  }

  Status put(int32_t value, const TrialRecord& record) {
    return store->put(target, problem, space, x(value), record);
  }

  std::vector<std::string> found_configs() const {
    std::vector<std::string> configs;
    const FoundTrials found = store->find(target, problem).take();
    for (const StoredTrial& trial : found.trials) configs.push_back(trial.config);
    return configs;
  }

  // The first trial of this config as it lies in the database. The store is closed.
  std::string raw_key(int32_t value) const {
    const std::string prefix = sample_prefix(sample_key(target, problem, space, x(value)));
    for (const std::string& key : raw_keys(path, kFamily)) {
      if (key.starts_with(prefix)) return key;
    }
    ADD_FAILURE() << "no trial of x=" << value;
    return "";
  }

  FoundTrials find_with(Priors priors) const {
    return store->find(device_of(target), problem, validity_of(target), priors).take();
  }

  // Flips a byte of a stored value behind the store's back.
  void damage(int32_t value) {
    store.reset();
    const std::string key = raw_key(value);
    std::string bytes = raw_get(path, kFamily, key);
    bytes.back() = static_cast<char>(bytes.back() ^ 1);
    raw_put(path, kFamily, key, bytes);
    open();
  }

  const TemporaryFolder folder;
  const std::string path = folder.path() / "store";
  Target target;
  Problem problem = Problem::mm(DType::kF32, 8, 8, 8);
  Space space;
  std::unique_ptr<MeasurementStore> store;
};

TEST_F(MeasurementStoreTest, KnowsNothingAtFirst) {
  EXPECT_THAT(found_configs(), IsEmpty());
  EXPECT_EQ(store->count().take().records, 0);
}

TEST_F(MeasurementStoreTest, FindsAfterReopeningWhatWasPut) {
  ASSERT_TRUE(put(3, took(100)).ok());
  open();
  const FoundTrials found = store->find(target, problem).take();
  ASSERT_EQ(found.trials.size(), 1u);
  EXPECT_EQ(found.trials[0].config, "x=3");
  EXPECT_EQ(found.trials[0].record, took(100));
}

TEST_F(MeasurementStoreTest, StoresAnImportedTrialOnceWhereverItStandsInItsFile) {
  KeyedTrial trial = {sample_key(target, problem, space, x(3)), took(100)};
  trial.record.origin = "diode-table";
  trial.record.extra[kPlaceInSource] = "4";
  // As it was stored when the place was a part of the id.
  const std::string value = encode_record(trial.record).take();
  store.reset();
  raw_put(path, kFamily, sample_prefix(trial.key) + imported_trial_id(value), value);
  open();
  ASSERT_TRUE(store->append({&trial, 1}).ok());
  trial.record.extra[kPlaceInSource] = "5";
  ASSERT_TRUE(store->append({&trial, 1}).ok());
  std::vector<TrialRecord> stored;
  ASSERT_TRUE(store
                  ->for_each_trial([&](const SampleKey&, const TrialRecord& record) {
                    stored.push_back(record);
                    return true;
                  })
                  .ok());
  EXPECT_THAT(stored, ElementsAre(trial.record));
}

TEST_F(MeasurementStoreTest, FoldsTheTrialsOfAConfig) {
  ASSERT_TRUE(put(3, took(100)).ok());
  ASSERT_TRUE(put(3, took(90)).ok());
  const TrialRecord folded = fold(std::vector{took(100), took(90)});
  EXPECT_EQ(store->find(target, problem).take().trials[0].record, folded);
  EXPECT_EQ(store->get(sample_key(target, problem, space, x(3))).take(), folded);
  EXPECT_EQ(store->count().take().records, 1);
  EXPECT_EQ(store->for_each_trial([](const SampleKey&, const TrialRecord&) { return true; })
                .take()
                .records,
            2);
}

TEST_F(MeasurementStoreTest, KeepsTrialsApartAcrossOpenings) {
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(put(3, took(100)).ok());
    open();
  }
  EXPECT_EQ(store->find(target, problem).take().trials[0].record.trials, 3);
}

TEST_F(MeasurementStoreTest, StoresAnImportedTrialOnce) {
  KeyedTrial trial = {sample_key(target, problem, space, x(3)), took(100)};
  trial.record.origin = "diode-table";
  ASSERT_TRUE(store->append({&trial, 1}).ok());
  ASSERT_TRUE(store->append({&trial, 1}).ok());
  EXPECT_EQ(store->get(trial.key).take(), trial.record);
}

TEST_F(MeasurementStoreTest, FindsTheBestFirstAndFailuresLast) {
  const std::vector<ConfigTrial> trials = {
      {x(0), failed(OutcomeKind::kCompileFailed)},   {x(1), took(300)},
      {x(2), failed(OutcomeKind::kUnstable, 50, 5)}, {x(3), took(100)},
      {x(4), failed(OutcomeKind::kUnstable, 40, 5)}, {x(5), took(200)}};
  ASSERT_TRUE(store->put_all(target, problem, space, trials).ok());
  EXPECT_THAT(found_configs(), ElementsAre("x=3", "x=5", "x=1", "x=4", "x=2", "x=0"));
}

TEST_F(MeasurementStoreTest, KeepsProblemsApart) {
  ASSERT_TRUE(put(3, took(100)).ok());
  problem.threads = 16;
  ASSERT_TRUE(put(4, took(100)).ok());
  EXPECT_THAT(found_configs(), ElementsAre("x=4"));
  problem.threads = 1;
  EXPECT_THAT(found_configs(), ElementsAre("x=3"));
}

TEST_F(MeasurementStoreTest, KeepsToolchainsApart) {
  ASSERT_TRUE(put(3, took(100)).ok());
  target.toolchain = "emitter 2";
  EXPECT_THAT(found_configs(), IsEmpty());
}

TEST_F(MeasurementStoreTest, ReturnsTimingsOfAnotherToolchainAsPriorsBehindTheAnswers) {
  ASSERT_TRUE(put(3, took(50)).ok());
  target.toolchain = "emitter 2";
  ASSERT_TRUE(put(4, took(100)).ok());
  const FoundTrials found = find_with(Priors::kSameDevice);
  ASSERT_EQ(found.trials.size(), 2u);
  EXPECT_EQ(found.trials[0].config, "x=4");
  EXPECT_FALSE(found.trials[0].is_prior());
  EXPECT_EQ(found.trials[1].config, "x=3");
  EXPECT_EQ(found.trials[1].why_prior, "toolchain emitter 1, now emitter 2");
}

TEST_F(MeasurementStoreTest, ReturnsTimingsOfAnotherDeviceAsPriorsWhenAsked) {
  ASSERT_TRUE(put(3, took(50)).ok());
  target.device = "other cpu";
  EXPECT_THAT(find_with(Priors::kSameDevice).trials, IsEmpty());
  const FoundTrials found = find_with(Priors::kAllDevices);
  ASSERT_EQ(found.trials.size(), 1u);
  EXPECT_EQ(found.trials[0].why_prior, "device some cpu");
}

TEST_F(MeasurementStoreTest, EachPartOfTheValidityMakesAPrior) {
  const SampleKey now = sample_key(target, problem, space, x(3));
  for (std::string Validity::*part :
       {&Validity::toolchain, &Validity::driver, &Validity::generator, &Validity::source}) {
    KeyedTrial old = {now, took(100)};
    old.key.validity.*part += "old";
    ASSERT_TRUE(store->append({&old, 1}).ok());
  }
  EXPECT_THAT(found_configs(), IsEmpty());
  const FoundTrials found = find_with(Priors::kSameDevice);
  EXPECT_EQ(found.trials.size(), 4u);
  for (const StoredTrial& trial : found.trials) EXPECT_TRUE(trial.is_prior());
}

TEST_F(MeasurementStoreTest, ListsDevicesAndTheirProblemsBySize) {
  for (const int64_t m : {1000, 8, 64}) {
    problem = Problem::mm(DType::kF32, m, 8, 8);
    ASSERT_TRUE(put(1, took(100)).ok());
    ASSERT_TRUE(put(2, took(100)).ok());
  }
  target.device = "a cpu";
  ASSERT_TRUE(put(1, took(100)).ok());
  const auto devices = store->devices().take();
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_EQ(device_name(devices[1]), "some cpu");
  std::vector<int64_t> sizes;
  const std::vector<Problem> problems = store->problems(devices[1]).take();
  for (const Problem& each : problems) sizes.push_back(each.m);
  EXPECT_THAT(sizes, ElementsAre(8, 64, 1000));
  EXPECT_EQ(store->problems(devices[1], {}, 2).take().size(), 2u);
  EXPECT_EQ(store->problems(devices[1], {.m = {9, 999}}).take()[0].m, 64);
}

TEST_F(MeasurementStoreTest, ScansWhatMatches) {
  const std::vector<ConfigTrial> trials = {{x(0), failed(OutcomeKind::kCrashed)}, {x(1), took(1)}};
  ASSERT_TRUE(store->put_all(target, problem, space, trials).ok());
  problem = Problem::mm(DType::kF64, 512, 8, 8);
  ASSERT_TRUE(put(5, took(2)).ok());
  const auto count = [this](const TrialFilter& filter) {
    return store->scan(filter, [](const SampleKey&, const TrialRecord&) { return true; })
        .take()
        .records;
  };
  EXPECT_EQ(count({}), 3);
  EXPECT_EQ(count({.device = "SOME"}), 3);
  EXPECT_EQ(count({.device = "another"}), 0);
  EXPECT_EQ(count({.problem = problem}), 1);
  EXPECT_EQ(count({.problem = Problem::mm(DType::kF64, 511, 8, 8)}), 0);
  EXPECT_EQ(count({.dtype = DType::kF32}), 2);
  EXPECT_EQ(count({.op = Op::kBmm}), 0);
  EXPECT_EQ(count({.m = {100, 1000}}), 1);
  EXPECT_EQ(count({.outcome = OutcomeKind::kCrashed}), 1);
  EXPECT_EQ(count({.toolchain = "emitter 2"}), 0);
  EXPECT_EQ(count({.origin = ""}), 3);
  EXPECT_EQ(count({.origin = "diode-table"}), 0);
}

TEST_F(MeasurementStoreTest, IsReadBesideItsWriterAsItWasWhenTheReaderOpened) {
  ASSERT_TRUE(put(3, took(100)).ok());
  const auto reader = Cache::open(path, {.mode = StoreMode::kReadOnly}).take();
  ASSERT_TRUE(put(4, took(100)).ok());
  EXPECT_EQ(reader->measurements().count().take().records, 1);
  const auto later = Cache::open(path, {.mode = StoreMode::kReadOnly}).take();
  EXPECT_EQ(later->measurements().count().take().records, 2);
  EXPECT_THAT(reader->take_in_spool(), FailsWith(StatusCode::kUnsupported, HasSubstr(path)));
}

TEST_F(MeasurementStoreTest, StoresNoneOfABatchWithARecordThatCannotBeRanked) {
  const std::vector<ConfigTrial> trials = {{x(0), took(100)},
                                           {x(1), took(std::numeric_limits<double>::infinity())}};
  EXPECT_THAT(store->put_all(target, problem, space, trials),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("finite")));
  EXPECT_EQ(store->count().take().records, 0);
}

TEST_F(MeasurementStoreTest, VisitsEverythingInKeyOrder) {
  ASSERT_TRUE(put(5, took(100)).ok());
  ASSERT_TRUE(put(3, took(200)).ok());
  target.device = "other cpu";
  ASSERT_TRUE(put(1, took(300)).ok());
  std::vector<std::string> seen;
  const auto see = [&seen](const SampleKey& key, const TrialRecord&) {
    seen.push_back(std::string(key.device.substr(0, 5)) + ", " + std::string(key.problem) + ", " +
                   std::string(key.config));
    return true;
  };
  EXPECT_EQ(store->for_each(see).take().records, 3);
  EXPECT_THAT(seen, ElementsAre("other, mm f32 8x8x8 nn, x=1", "some , mm f32 8x8x8 nn, x=3",
                                "some , mm f32 8x8x8 nn, x=5"));
}

TEST_F(MeasurementStoreTest, StopsVisitingWhenTold) {
  ASSERT_TRUE(put(5, took(100)).ok());
  ASSERT_TRUE(put(3, took(200)).ok());
  const auto stop = [](const SampleKey&, const TrialRecord&) { return false; };
  EXPECT_EQ(store->for_each(stop).take().records, 1);
}

TEST_F(MeasurementStoreTest, CountsADamagedRecordAsAMissAndFindsTheOthers) {
  ASSERT_TRUE(put(3, took(100)).ok());
  ASSERT_TRUE(put(4, took(200)).ok());
  damage(3);
  EXPECT_EQ(store->find(target, problem).take().damaged, 1);
  EXPECT_THAT(found_configs(), ElementsAre("x=4"));
  EXPECT_EQ(store->count().take().records, 1);
  EXPECT_EQ(store->count().take().damaged, 1);
}

TEST_F(MeasurementStoreTest, FindsTheSoundTrialsBesideADamagedOne) {
  ASSERT_TRUE(put(3, took(100)).ok());
  damage(3);
  ASSERT_TRUE(put(3, took(150)).ok());
  EXPECT_EQ(store->find(target, problem).take().trials[0].record, took(150));
  EXPECT_EQ(store->count().take().damaged, 1);
}

TEST_F(MeasurementStoreTest, CountsAKeyThatIsNotOursAsDamaged) {
  ASSERT_TRUE(put(3, took(100)).ok());
  store.reset();
  const std::string value = raw_get(path, kFamily, raw_key(3));
  raw_put(path, kFamily, "no parts", value);
  open();
  EXPECT_EQ(store->count().take().records, 1);
  EXPECT_EQ(store->count().take().damaged, 1);
}

TEST_F(MeasurementStoreTest, FindsRecordsInTableFilesToo) {
  ASSERT_TRUE(put(3, took(100)).ok());
  store.reset();
  raw_flush(path);
  open();
  EXPECT_THAT(found_configs(), ElementsAre("x=3"));
}

TEST_F(MeasurementStoreTest, ReadsWhileAnotherWrites) {
  ASSERT_TRUE(put(3, took(100)).ok());
  const auto reader = MeasurementStore::open(path, StoreMode::kReadOnly).take();
  EXPECT_EQ(reader->find(target, problem).take().trials.size(), 1u);
}

TEST_F(MeasurementStoreTest, WritesNothingWhenOpenedForReading) {
  store.reset();
  store = MeasurementStore::open(path, StoreMode::kReadOnly).take();
  EXPECT_THAT(put(3, took(100)), FailsWith(StatusCode::kUnsupported, HasSubstr(path)));
}

TEST_F(MeasurementStoreTest, TakesRecordsFromSeveralThreads) {
  std::thread even([this] { EXPECT_TRUE(put(2, took(100)).ok()); });
  std::thread odd([this] { EXPECT_TRUE(put(3, took(200)).ok()); });
  even.join();
  odd.join();
  EXPECT_THAT(found_configs(), ElementsAre("x=2", "x=3"));
}

}  // namespace
}  // namespace triode
