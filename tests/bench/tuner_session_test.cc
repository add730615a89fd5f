// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/tuner_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <ctime>

#include "tests/core/status_matchers.h"
#include "tools/bench/tuner_programs.h"

namespace triode::bench {
namespace {

using ::testing::_;
using ::testing::HasSubstr;

constexpr const char* kStatus =
    R"({"pid": 7, "worker_pid": 8, "waiting": 0, "current": "", "plans": 3, "searches": 5,
        "trials": 50, "plans_found": 2, "vendor_stays": 1, "withdrawals": 0, "other": []})";

TEST(ReadTunerCounts, ReadsWhatATunerSays) {
  const TunerCounts counts = read_tuner_counts(kStatus).take();
  EXPECT_EQ(counts.process, 7);
  EXPECT_EQ(counts.worker, 8);
  EXPECT_EQ(counts.effort.trials, 50u);
  EXPECT_FALSE(counts.is_busy);
}

TEST(ReadTunerCounts, IsBusyWithWhatItSearchesForAndWithWhatWaits) {
  std::string text = kStatus;
  EXPECT_TRUE(read_tuner_counts(text.replace(text.find("\"\""), 2, "\"mm\"")).take().is_busy);
  text = kStatus;
  const auto waiting = text.find("waiting\": 0");
  EXPECT_TRUE(read_tuner_counts(text.replace(waiting, 11, "waiting\": 1")).take().is_busy);
}

TEST(ReadTunerCounts, RefusesWhatIsNoStatus) {
  EXPECT_THAT(read_tuner_counts("no tuner runs"), FailsWith(StatusCode::kCorrupt, _));
  EXPECT_THAT(read_tuner_counts("{}"), FailsWith(StatusCode::kCorrupt, HasSubstr("pid")));
}

TEST(CpuSeconds, OfThisProcessAreItsOwnAndOfNoneZero) {
  // Clock ticks are a hundredth of a second, so it must have used some.
  while (std::clock() < CLOCKS_PER_SEC / 4) {
  }
  EXPECT_NEAR(cpu_seconds(getpid()), static_cast<double>(std::clock()) / CLOCKS_PER_SEC, 0.05);
  EXPECT_EQ(cpu_seconds(-1), 0);
}

TEST(HasEnded, SeesTheEndAndLeavesItToBeWaitedFor) {
  ChildProcess child = ChildProcess::start({"sleep", "100"}, environment_with({})).take();
  EXPECT_FALSE(has_ended(child.id()));
  EXPECT_THAT(finish(child), FailsWith(StatusCode::kUnavailable, HasSubstr("signal 15")));
  ChildProcess brief = ChildProcess::start({"true"}, environment_with({})).take();
  (void)brief.read_all();
  while (!has_ended(brief.id())) usleep(1000);
  EXPECT_TRUE(brief.wait().ok());
}

TEST(ReadMatmulReport, AddsUpTheProcessesOfAProgram) {
  const std::string line = R"({"time_ns": 5e8, "calls": 10, "answered": 4})";
  const ReportedMatmuls matmuls = read_matmul_report(line + "\n" + line + "\n").take();
  EXPECT_EQ(matmuls.seconds, 1);
  EXPECT_EQ(matmuls.answered_share, 0.4);
}

TEST(ReadMatmulReport, RefusesWhatIsNone) {
  EXPECT_THAT(read_matmul_report(""), FailsWith(StatusCode::kCorrupt, HasSubstr("no matmul")));
  EXPECT_THAT(read_matmul_report("{"), FailsWith(StatusCode::kCorrupt, _));
}

}  // namespace
}  // namespace triode::bench
