// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/worker_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "jit/x86/gemm_space.h"
#include "runtime/device/cpu_device.h"
#include "runtime/host/loaded_object.h"
#include "runtime/tuner/vendor_call.h"
#include "tests/core/status_matchers.h"
#include "tests/jit/test_length.h"
#include "tests/runtime/temporary_folder.h"
#include "tests/tuner/sample_calls.h"

extern "C" long stand_in_calls();

namespace triode::tuner {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

WorkerOptions worker_options(milliseconds trial_limit) {
  return {
      .program = TRIODE_FAULTY_WORKER, .arguments = {"faulty_worker"}, .trial_limit = trial_limit};
}

class WorkerRunnerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    setenv("TRIODE_TEST_FAULTS", (folder_.path() / "faults").c_str(), 1);
    set_faults("");
    const auto blas = host::object_at(reinterpret_cast<const void*>(&stand_in_calls));
    ASSERT_TRUE(blas.has_value());
    call_.call = sample_call(12);
    // Rows with gaps between them.
    call_.call.key.lda = call_.call.key.ldb = call_.call.key.ldc = 20;
    call_.call.library = std::filesystem::canonical(blas->path).string();
    call_.call.identity = blas->identity();
    device_ = std::move(CpuDevice::create({})).take();
    call_.target = device_->target();
    const Problem problem = problem_of(call_.call).value();
    const Space space = device_->enumerate(problem).value();
    for (const Config& config : x86::promising_configs(space, problem)) {
      configs_.push_back(space.to_string(config));
    }
  }

  void set_faults(const std::string& lines) { folder_.write("faults", lines); }
  // Every config has the fault.
  void set_fault(const std::string& fault) { set_faults(fault + " isa=\n"); }

  TemporaryFolder folder_;
  TunedCall call_;
  std::unique_ptr<CpuDevice> device_;
  std::vector<std::string> configs_;
  // The limit is far more than a trial takes, even on a busy machine.
  WorkerRunner runner_{worker_options(milliseconds(20000))};
};

TEST_F(WorkerRunnerTest, TriesAConfigBesideTheHostsOwnLibrary) {
  ASSERT_TRUE(runner_.begin(call_).ok());
  const TrialResult result = runner_.try_config(configs_[0]);
  EXPECT_TRUE(result.outcome.ok()) << result.outcome.reason;
  EXPECT_GT(result.measurement.min_ns, 0);
  EXPECT_NE(result.code_digest, 0u);
}

TEST_F(WorkerRunnerTest, ChecksAConfigWithoutTimingIt) {
  ASSERT_TRUE(runner_.begin(call_).ok());
  const CheckResult right = runner_.check_config(configs_[0]);
  EXPECT_TRUE(right.outcome.ok()) << right.outcome.reason;
  EXPECT_EQ(right.code_digest, runner_.try_config(configs_[0]).code_digest);
  set_fault("segv-timing");  // in the sixth run of a kernel: a check makes fewer
  EXPECT_TRUE(runner_.check_config(configs_[0]).outcome.ok());
  set_fault("wrong");
  EXPECT_EQ(runner_.check_config(configs_[0]).outcome.kind, OutcomeKind::kWrongResult);
  set_fault("segv");
  EXPECT_EQ(runner_.check_config(configs_[0]).outcome.kind, OutcomeKind::kCrashed);
}

TEST_F(WorkerRunnerTest, RacesItAgainstThatLibrary) {
  ASSERT_TRUE(runner_.begin(call_).ok());
  const RaceResult result = runner_.race(configs_[0], milliseconds(20));
  ASSERT_TRUE(result.outcome.ok() || result.outcome.kind == OutcomeKind::kUnstable);
  EXPECT_GT(result.pair.vendor.median_ns, 0);
  EXPECT_GT(result.pair.speedup, 0);
  EXPECT_GE(result.pair.candidate.count, 15);
}

TEST_F(WorkerRunnerTest, MakesTheCodeThatAHostMakes) {
  ASSERT_TRUE(runner_.begin(call_).ok());
  const Problem problem = problem_of(call_.call).value();
  const Config config = device_->enumerate(problem)->parse(configs_[0]).value();
  EXPECT_EQ(runner_.try_config(configs_[0]).code_digest,
            device_->build(problem, config).value()->digest());
}

struct FaultCase {
  const char* fault;
  OutcomeKind outcome;
};

std::string fault_name(const ::testing::TestParamInfo<FaultCase>& test) {
  std::string name = test.param.fault;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

class EveryFault : public WorkerRunnerTest, public ::testing::WithParamInterface<FaultCase> {};

TEST_P(EveryFault, IsAnOutcomeAndTheWorkerIsBack) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  if (GetParam().fault == std::string("memory")) GTEST_SKIP() << "a sanitizer allows no limit";
#endif
  ASSERT_TRUE(runner_.begin(call_).ok());
  set_fault(GetParam().fault);
  EXPECT_EQ(runner_.try_config(configs_[0]).outcome.kind, GetParam().outcome);
  EXPECT_EQ(runner_.race(configs_[0], milliseconds(5)).outcome.kind, GetParam().outcome);
  set_faults("");
  const TrialResult after = runner_.try_config(configs_[1]);
  EXPECT_TRUE(after.outcome.ok()) << after.outcome.reason;
}

INSTANTIATE_TEST_SUITE_P(
    WorkerRunner, EveryFault,
    ::testing::Values(
        FaultCase{"segv", OutcomeKind::kCrashed}, FaultCase{"ill", OutcomeKind::kCrashed},
        FaultCase{"abort", OutcomeKind::kCrashed}, FaultCase{"exit", OutcomeKind::kCrashed},
        FaultCase{"kill", OutcomeKind::kOutOfMemory},
        FaultCase{"memory", OutcomeKind::kOutOfMemory},
        FaultCase{"wrong", OutcomeKind::kWrongResult}, FaultCase{"nan", OutcomeKind::kWrongResult},
        FaultCase{"gap", OutcomeKind::kWrongResult}, FaultCase{"beyond", OutcomeKind::kCrashed},
        FaultCase{"scribble", OutcomeKind::kCrashed}, FaultCase{"cut", OutcomeKind::kCrashed},
        FaultCase{"nonsense", OutcomeKind::kCrashed}, FaultCase{"deaf", OutcomeKind::kCrashed},
        FaultCase{"segv-build", OutcomeKind::kCrashed},
        FaultCase{"kill-build", OutcomeKind::kOutOfMemory},
        FaultCase{"compile", OutcomeKind::kCompileFailed}),
    fault_name);

// After the checks of a trial, and after those of a race.
class LateFault : public WorkerRunnerTest, public ::testing::WithParamInterface<FaultCase> {};

TEST_P(LateFault, IsAnOutcomeAndTheWorkerIsBack) {
  ASSERT_TRUE(runner_.begin(call_).ok());
  set_fault(GetParam().fault);
  const bool is_of_race = std::string(GetParam().fault).ends_with("-race");
  const Outcome outcome = is_of_race ? runner_.race(configs_[0], milliseconds(5)).outcome
                                     : runner_.try_config(configs_[0]).outcome;
  EXPECT_EQ(outcome.kind, GetParam().outcome);
  EXPECT_EQ(runner_.lost(), 1u);
  set_faults("");
  const TrialResult after = runner_.try_config(configs_[1]);
  EXPECT_TRUE(after.outcome.ok()) << after.outcome.reason;
}

INSTANTIATE_TEST_SUITE_P(WorkerRunner, LateFault,
                         ::testing::Values(FaultCase{"segv-timing", OutcomeKind::kCrashed},
                                           FaultCase{"kill-timing", OutcomeKind::kOutOfMemory},
                                           FaultCase{"segv-race", OutcomeKind::kCrashed},
                                           FaultCase{"kill-race", OutcomeKind::kOutOfMemory}),
                         fault_name);

TEST_F(WorkerRunnerTest, AHangInARaceIsAnOutcomeToo) {
  WorkerRunner runner(worker_options(milliseconds(500)));
  ASSERT_TRUE(runner.begin(call_).ok());
  set_fault("hang-race");
  EXPECT_EQ(runner.race(configs_[0], milliseconds(5)).outcome.kind, OutcomeKind::kTimedOut);
  set_faults("");
  EXPECT_TRUE(runner.try_config(configs_[1]).outcome.ok());
}

TEST_F(WorkerRunnerTest, AHangIsAnOutcomeAndTheWorkerIsBack) {
  WorkerRunner runner(worker_options(milliseconds(500)));
  ASSERT_TRUE(runner.begin(call_).ok());
  set_fault("hang");
  EXPECT_EQ(runner.try_config(configs_[0]).outcome.kind, OutcomeKind::kTimedOut);
  set_faults("");
  EXPECT_TRUE(runner.begin(call_).ok());
  EXPECT_EQ(runner.lost(), 1u);
}

// A limit that no test waits for.
class StoppedWorkerTest : public WorkerRunnerTest {
 protected:
  StoppedWorkerTest() {
    WorkerOptions options = worker_options(std::chrono::hours(1));
    options.begin_limit = std::chrono::hours(1);
    options.should_stop = [this] { return stops_; };
    runner_ = std::make_unique<WorkerRunner>(options);
  }
  bool stops_ = false;
  std::unique_ptr<WorkerRunner> runner_;
};

TEST_F(StoppedWorkerTest, ATrialThatIsStoppedSaysNothingOfItsConfig) {
  for (const char* const fault : {"hang", "hang-race"}) {
    ASSERT_TRUE(runner_->begin(call_).ok());
    set_fault(fault);
    stops_ = true;
    EXPECT_EQ(runner_->race(configs_[0], milliseconds(5)).outcome.kind, OutcomeKind::kUnstable);
    EXPECT_EQ(runner_->process(), 0);
    stops_ = false;
    set_faults("");
    EXPECT_TRUE(runner_->try_config(configs_[0]).outcome.ok());
  }
  EXPECT_EQ(runner_->lost(), 0u);
}

TEST_F(StoppedWorkerTest, ACallThatIsBeginningCanBeStopped) {
  set_faults("hang begin\n");
  stops_ = true;
  EXPECT_THAT(runner_->begin(call_), FailsWith(StatusCode::kUnavailable, HasSubstr("stopped")));
  EXPECT_EQ(runner_->process(), 0);
}

TEST_F(WorkerRunnerTest, BeginsAgainWhereTheWorkerWasKilled) {
  set_faults("kill-once begin\n");
  EXPECT_TRUE(runner_.begin(call_).ok());
  EXPECT_EQ(runner_.lost(), 1u);
  EXPECT_TRUE(runner_.try_config(configs_[0]).outcome.ok());
}

TEST_F(WorkerRunnerTest, GivesUpOnACallWhoseWorkersAreAllKilled) {
  set_faults("kill begin\n");
  EXPECT_THAT(runner_.begin(call_), FailsWith(StatusCode::kUnsupported, HasSubstr("SIGKILL")));
  EXPECT_EQ(runner_.lost(), 3u);
}

// A thousand with TRIODE_TEST_LONG=1.
TEST_F(WorkerRunnerTest, OutlivesAStormOfBadCandidates) {
  const char* const faults[] = {"segv", "wrong", "nan", "abort", "gap", "beyond", "exit", "ill"};
  ASSERT_TRUE(runner_.begin(call_).ok());
  const int count = scaled_count(50);
  for (int i = 0; i < count; ++i) {
    set_fault(faults[static_cast<size_t>(i) % std::size(faults)]);
    ASSERT_FALSE(runner_.try_config(configs_[0]).outcome.ok()) << i;
  }
  set_faults("");
  EXPECT_TRUE(runner_.try_config(configs_[0]).outcome.ok());
}

TEST_F(WorkerRunnerTest, StartsOneWorkerForManyTrialsOfOneLibrary) {
  ASSERT_TRUE(runner_.begin(call_).ok());
  runner_.try_config(configs_[0]);
  call_.call.key.m = 5;
  ASSERT_TRUE(runner_.begin(call_).ok());
  runner_.try_config(configs_[0]);
  EXPECT_EQ(runner_.started(), 1u);
  EXPECT_EQ(runner_.lost(), 0u);
}

TEST_F(WorkerRunnerTest, IsBackAfterItsWorkerWasKilledBetweenTrials) {
  ASSERT_TRUE(runner_.begin(call_).ok());
  kill(runner_.process(), SIGKILL);
  runner_.try_config(configs_[0]);  // may be lost with it
  EXPECT_TRUE(runner_.try_config(configs_[0]).outcome.ok());
  EXPECT_TRUE(runner_.begin(call_).ok());
}

TEST_F(WorkerRunnerTest, RefusesALibraryThatHasChanged) {
  call_.call.identity += "0";
  EXPECT_THAT(runner_.begin(call_), FailsWith(StatusCode::kUnsupported, HasSubstr("the host has")));
}

TEST_F(WorkerRunnerTest, RefusesALibraryThatIsNotThere) {
  call_.call.library = "/nowhere/libblas.so";
  EXPECT_THAT(runner_.begin(call_), FailsWith(StatusCode::kUnsupported, HasSubstr("cannot load")));
  call_.call.library = "";
  EXPECT_THAT(runner_.begin(call_), FailsWith(StatusCode::kUnsupported, HasSubstr("no file")));
}

TEST_F(WorkerRunnerTest, RefusesAnotherMachineAndAnotherThreadBudget) {
  TunedCall elsewhere = call_;
  elsewhere.target.device = "another";
  EXPECT_THAT(runner_.begin(elsewhere),
              FailsWith(StatusCode::kUnsupported, HasSubstr("another machine")));
  TunedCall threaded = call_;
  threaded.call.threads = 2;
  EXPECT_THAT(runner_.begin(threaded),
              FailsWith(StatusCode::kUnsupported, HasSubstr("1 threads here, and 2")));
}

TEST_F(WorkerRunnerTest, RefusesAConfigThatIsNone) {
  ASSERT_TRUE(runner_.begin(call_).ok());
  EXPECT_EQ(runner_.try_config("mr=17").outcome.kind, OutcomeKind::kCompileFailed);
}

TEST_F(WorkerRunnerTest, SaysWhenItsProgramIsNotThere) {
  WorkerRunner missing({.program = "/nowhere/worker", .arguments = {"worker"}});
  EXPECT_THAT(missing.begin(call_),
              FailsWith(StatusCode::kUnavailable, HasSubstr("/nowhere/worker")));
}

}  // namespace
}  // namespace triode::tuner
