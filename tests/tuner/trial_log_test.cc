// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/trial_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cache/cache.h"
#include "runtime/tuner/vendor_call.h"
#include "tests/runtime/temporary_folder.h"
#include "tests/tuner/model_runner.h"
#include "tests/tuner/sample_calls.h"

namespace triode::tuner {
namespace {

using ::testing::SizeIs;

// What a search writes, read by another process's kind of handle.
class TrialLogTest : public ::testing::Test {
 protected:
  std::vector<StoredPlanRecord> stored_plans() const {
    const auto cache = Cache::open(path_, {.mode = StoreMode::kReadOnly}).take();
    std::vector<StoredPlanRecord> plans;
    EXPECT_EQ(cache->plans()
                  .for_each([&](const PlanKey& key, const PlanRecord& record) {
                    plans.push_back({key, record});
                    return true;
                  })
                  .value(),
              0);
    return plans;
  }

  const TemporaryFolder folder_;
  const std::string path_ = (folder_.path() / "store").string();
  const TunedCall call_{sample_call(16), sample_target()};
  const Problem problem_ = problem_of(call_.call).value();
  const StoredPlan plan_{.problem = problem_,
                         .config = "x=7 y=3",
                         .vendor = call_.call.vendor(),
                         .code_digest = 12,
                         .speedup = 8,
                         .vendor_ns = 8000,
                         .plan_ns = 1000};
  const std::unique_ptr<TrialLog> log_ = open_stored_trials(path_, SyncLevel::kBatch).take();
};

TEST_F(TrialLogTest, KeepsTheVendorsTimeAndWhen) {
  const Space space = model_space();
  TrialRecord raced{.outcome = {}, .measurement = {1000, 990, 0.01, 50}};
  raced.vendor = VendorTime{8000, 8, 0.005};
  ASSERT_TRUE(
      log_->record(call_.target, problem_, space, {{space.parse("x=7 y=3").value(), raced}}).ok());
  const auto cache = Cache::open(path_, {.mode = StoreMode::kReadOnly}).take();
  const FoundTrials found = cache->measurements().find(call_.target, problem_).take();
  ASSERT_THAT(found.trials, SizeIs(1));
  EXPECT_EQ(found.trials[0].record.vendor, raced.vendor);
  EXPECT_GT(found.trials[0].record.when_unix_s, 0);
  EXPECT_THAT(log_->known(call_.target, problem_, space), SizeIs(1));
}

TEST_F(TrialLogTest, KeepsAPlanAsItWasPublished) {
  ASSERT_TRUE(log_->keep_plan(call_, plan_, 0.005).ok());
  const std::vector<StoredPlanRecord> plans = stored_plans();
  ASSERT_THAT(plans, SizeIs(1));
  const PlanKey& key = plans[0].key;
  EXPECT_EQ(key.device, device_of(call_.target));
  EXPECT_EQ(key.problem, problem_);
  EXPECT_EQ(key.vendor, (VendorIdentity{"libblas.so 12ab", "cblas_sgemm"}));
  EXPECT_EQ(key.validity, validity_of(call_.target));
  const PlanRecord& record = plans[0].record;
  EXPECT_EQ(std::tuple(record.config, record.code_digest, record.speedup, record.speedup_spread),
            std::tuple("x=7 y=3", 12u, 8.0, 0.005));
  EXPECT_EQ(std::tuple(record.vendor_ns, record.plan_ns), std::tuple(8000.0, 1000.0));
  EXPECT_FALSE(record.is_withdrawn);
  EXPECT_GT(record.when_unix_s, 0);
}

TEST_F(TrialLogTest, NotesTheCodeThatAPlanRunsIfItIsKept) {
  const SampleKey made_for = {.device = device_of(call_.target),
                              .problem = to_string(problem_),
                              .config = plan_.config,
                              .validity = validity_of(call_.target)};
  const std::string digest = log_->artifacts()->put(made_for, "a cubin", {}, 1).take();
  ASSERT_TRUE(log_->keep_plan(call_, plan_, 0.005).ok());
  ASSERT_THAT(stored_plans(), SizeIs(1));
  EXPECT_EQ(stored_plans()[0].record.artifact, digest);
}

TEST_F(TrialLogTest, MarksAWithdrawnPlanUntilAnotherIsKept) {
  ASSERT_TRUE(log_->keep_plan(call_, plan_, 0.005).ok());
  ASSERT_TRUE(log_->withdraw_plan(call_, problem_).ok());
  ASSERT_THAT(stored_plans(), SizeIs(1));
  EXPECT_TRUE(stored_plans()[0].record.is_withdrawn);
  EXPECT_EQ(stored_plans()[0].record.config, "x=7 y=3");
  ASSERT_TRUE(log_->keep_plan(call_, plan_, 0.005).ok());
  ASSERT_THAT(stored_plans(), SizeIs(1));
  EXPECT_FALSE(stored_plans()[0].record.is_withdrawn);
}

TEST_F(TrialLogTest, HintsAtWhatDidWellWithAnotherToolchain) {
  const Space space = model_space();
  Target older = call_.target;
  older.toolchain = "an earlier one";
  const auto trial = [&](const char* config, OutcomeKind kind, double median_ns) {
    const bool ran = kind == OutcomeKind::kOk;
    return ConfigTrial{*space.parse(config), {{kind, ""}, {median_ns, median_ns, 0, ran ? 5 : 0}}};
  };
  ASSERT_TRUE(log_->record(older, problem_, space,
                           {trial("x=1 y=1", OutcomeKind::kOk, 3000),
                            trial("x=7 y=3", OutcomeKind::kOk, 1000),
                            trial("x=2 y=1", OutcomeKind::kCrashed, 0),
                            trial("x=7 y=2", OutcomeKind::kOk, 2000)})
                  .ok());
  EXPECT_THAT(log_->known(call_.target, problem_, space), SizeIs(0));
  std::vector<std::string> hints;
  for (const Config& hint : log_->hints(call_.target, problem_, space, 2)) {
    hints.push_back(space.to_string(hint));
  }
  EXPECT_EQ(hints, (std::vector<std::string>{"x=7 y=3", "x=7 y=2"}));
}

TEST_F(TrialLogTest, WithdrawsNothingWhereNothingWasKept) {
  EXPECT_TRUE(log_->withdraw_plan(call_, problem_).ok());
  EXPECT_THAT(stored_plans(), SizeIs(0));
}

// While another process writes to the cache, as `triode cache compact` does.
class TrialLogBesideAWriter : public ::testing::Test {
 protected:
  Status record(const std::string& config, double median_ns = 1000) {
    const Space space = model_space();
    return log_->record(call_.target, problem_, space,
                        {{space.parse(config).value(), {{}, {median_ns, 990, 0, 5}}}});
  }
  std::vector<Trial> known() { return log_->known(call_.target, problem_, model_space()); }

  const TemporaryFolder folder_;
  const std::string path_ = (folder_.path() / "store").string();
  const TunedCall call_{sample_call(16), sample_target()};
  const Problem problem_ = problem_of(call_.call).value();
  std::unique_ptr<Cache> other_ = Cache::open(path_, {}).take();
  std::unique_ptr<TrialLog> log_ = open_stored_trials(path_, SyncLevel::kBatch).take();
};

TEST_F(TrialLogBesideAWriter, LosesNoTrial) {
  EXPECT_EQ(log_->begin_search().code(), StatusCode::kUnavailable);
  ASSERT_TRUE(record("x=7 y=3").ok());
  ASSERT_TRUE(log_->flush().ok());
  other_.reset();
  ASSERT_TRUE(log_->begin_search().ok());
  EXPECT_THAT(known(), SizeIs(1));
  ASSERT_TRUE(record("x=7 y=2").ok());
  EXPECT_THAT(known(), SizeIs(2));
}

TEST_F(TrialLogBesideAWriter, LeavesTrialsForTheNextIfItNeverEnds) {
  ASSERT_TRUE(record("x=7 y=3").ok());
  log_.reset();
  EXPECT_EQ(other_->take_in_spool().take().records, 1);
}

TEST_F(TrialLogBesideAWriter, KnowsAndLendsWhatWasThere) {
  EXPECT_NE(log_->models(), nullptr);
  EXPECT_NE(log_->artifacts(), nullptr);
  EXPECT_THAT(log_->problems(call_.target, 9), SizeIs(0));
}

TEST_F(TrialLogBesideAWriter, KeepsItsPlansForLater) {
  const StoredPlan plan{.problem = problem_, .config = "x=7 y=3", .vendor = call_.call.vendor()};
  ASSERT_TRUE(log_->keep_plan(call_, plan, 0.005).ok());
  ASSERT_TRUE(log_->withdraw_plan(call_, problem_).ok());
  other_.reset();
  ASSERT_TRUE(log_->begin_search().ok());
  const auto cache = Cache::open(path_, {.mode = StoreMode::kReadOnly}).take();
  std::vector<PlanRecord> plans;
  ASSERT_TRUE(cache->plans()
                  .for_each([&](const PlanKey&, const PlanRecord& record) {
                    plans.push_back(record);
                    return true;
                  })
                  .ok());
  ASSERT_THAT(plans, SizeIs(1));
  EXPECT_EQ(plans[0].config, "x=7 y=3");
  EXPECT_TRUE(plans[0].is_withdrawn);
}

TEST_F(TrialLogBesideAWriter, KeepsInMemoryWhatTheSpoolDoesNotTake) {
  std::filesystem::create_directory(path_ + "/spool");
  EXPECT_FALSE(record("x=7 y=3").ok());
  EXPECT_FALSE(log_->flush().ok());
  std::filesystem::remove(path_ + "/spool");
  EXPECT_TRUE(log_->flush().ok());
  other_.reset();
  ASSERT_TRUE(log_->begin_search().ok());
  EXPECT_THAT(known(), SizeIs(1));
}

TEST_F(TrialLogBesideAWriter, IsNotHeldUpByATrialThatNobodyTakes) {
  EXPECT_EQ(record("x=7 y=3", NAN).code(), StatusCode::kInvalidArgument);
  ASSERT_TRUE(record("x=7 y=2").ok());
  other_.reset();
  ASSERT_TRUE(log_->begin_search().ok());
  EXPECT_THAT(known(), SizeIs(1));
}

TEST(TrialLog, IsNotOpenedWhereThereIsSomethingElse) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "thesis.tex") << "a year of work";
  EXPECT_EQ(open_stored_trials(folder.path().string(), SyncLevel::kBatch).status().code(),
            StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace triode::tuner
