// SPDX-License-Identifier: Apache-2.0
#include "tools/tuner/cpu_ranker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "core/clock.h"
#include "runtime/model/chosen_model.h"
#include "tests/runtime/temporary_folder.h"
#include "tests/tuner/cpu_snapshot.h"

namespace triode::tuner {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A tuner's cache with timings of this machine that follow a law, and a model that does not know
// it.
class CpuRankerTest : public ::testing::Test {
 protected:
  CpuRankerTest() {
    options_.relearning_time = std::chrono::hours(1);
    options_.slow.steps = 1500;  // for a model that it makes better by far, whatever rounding does
    ModelStore& models = *trials_->models();
    const std::string first = models.put("cpu", first_model(), 1).value();
    EXPECT_TRUE(models.promote(first).ok());
    for (int64_t i = 0; i < 48; ++i) {
      record(Problem::mm(DType::kF32, 24 + 5 * i, 40 + 3 * (i % 7), 64 + i));
    }
  }
  static std::string first_model() {
    return write_snapshot(cpu_snapshot(traits_of(make_cpu_device(0).value()->target()).value(), 3));
  }
  // Tall tiles are fast for tall matrices and slow for others: more than a correction can learn.
  void record(const Problem& problem) {
    const Target target = make_cpu_device(0).value()->target();
    const Space space = machine_.space_of(target, problem).value();
    const size_t height = space.position_of("mr").value();
    std::vector<ConfigTrial> trials;
    for (const Config& config : HeuristicRanker().propose(problem, space, {}, 12)) {
      const double ratio = config[height] / 6.0;
      const double ns = problem.flops() * (1 + (problem.m > 144 ? 1 / ratio : ratio));
      trials.push_back({config, {.outcome = {}, .measurement = {ns, ns, 0, 3}}});
    }
    ASSERT_TRUE(trials_->record(target, problem, space, std::move(trials)).ok());
  }
  CpuRanker make() { return CpuRanker(machine_, *trials_, events_, options_); }
  static void reflect(CpuRanker& ranker) {
    while (ranker.ranker().reflect(steady_clock(), std::chrono::hours(1))) {
    }
  }
  std::string log() const {
    std::ifstream file(folder_.path() / "tuner.log");
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string promoted() {
    return snapshot_digest(
        chosen_model(trials_->models(), DeviceKind::kCpu, "nowhere").value().snapshot);
  }

  TemporaryFolder folder_;
  EventLog events_{(folder_.path() / "tuner.log").string()};
  std::unique_ptr<TrialLog> trials_ =
      std::move(open_stored_trials((folder_.path() / "store").string(), SyncLevel::kNone)).take();
  CpuMachine machine_;
  CpuRankerOptions options_;
};

TEST_F(CpuRankerTest, MakesABetterModelOfEarlierTrialsWithWhichTheNextBegins) {
  const std::string before = promoted();
  CpuRanker ranker = make();
  EXPECT_EQ(ranker.model().origin, "promoted");
  EXPECT_EQ(ranker.model().digest, before);
  EXPECT_GT(ranker.model().learned, 400u);
  reflect(ranker);
  EXPECT_EQ(ranker.model().origin, "learned");
  EXPECT_EQ(ranker.model().digest, promoted());
  EXPECT_NE(promoted(), before);
  EXPECT_THAT(log(), HasSubstr(" fine-tuned "));
  EXPECT_THAT(log(), HasSubstr(" promoted digest=" + promoted() + " before="));

  const CpuRanker next = make();
  EXPECT_EQ(next.model().origin, "promoted");
  EXPECT_EQ(next.model().digest, promoted());
  EXPECT_EQ(next.model().learned, 0u) << "it is all in the model";
}

TEST_F(CpuRankerTest, LeavesInForceWhatWasWhereItWasGivenAFile) {
  const std::string before = promoted();
  options_.model = (folder_.path() / "given.snapshot").string();
  std::ofstream(options_.model) << first_model();
  CpuRanker ranker = make();
  EXPECT_EQ(ranker.model().origin, "file");
  reflect(ranker);
  EXPECT_EQ(ranker.model().origin, "learned");
  EXPECT_EQ(promoted(), before);
  EXPECT_THAT(log(), Not(HasSubstr(" promoted ")));
}

}  // namespace
}  // namespace triode::tuner
