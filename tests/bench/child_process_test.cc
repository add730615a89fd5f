// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/child_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/core/status_matchers.h"

namespace triode::bench {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(EnvironmentWith, ReplacesVariablesAndDropsTriodesSettings) {
  setenv("TRIODE_MODE", "observe", 1);
  setenv("TRIODE_BENCH_TEST", "old", 1);
  const auto environment = environment_with({{"TRIODE_BENCH_TEST", "new"}});
  unsetenv("TRIODE_MODE");
  unsetenv("TRIODE_BENCH_TEST");
  EXPECT_THAT(environment, Contains("TRIODE_BENCH_TEST=new"));
  EXPECT_THAT(environment, Not(Contains("TRIODE_BENCH_TEST=old")));
  EXPECT_THAT(environment, Not(Contains(StartsWith("TRIODE_MODE="))));
  EXPECT_THAT(environment, Contains(StartsWith("PATH=")));
}

TEST(OutputOf, GivesWhatAProgramWrites) {
  const auto text = output_of({"sh", "-c", "echo $WHAT; echo error >&2"}, {"WHAT=result"});
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(*text, "result\nerror\n");
}

TEST(OutputOf, SaysHowAProgramFailedAndItsLastWords) {
  EXPECT_THAT(
      output_of({"sh", "-c", "echo one; echo two; exit 3"}, {}),
      FailsWith(StatusCode::kUnavailable, AllOf(HasSubstr("exited with 3"), EndsWith(": two"))));
  EXPECT_THAT(output_of({"sh", "-c", "kill -9 $$"}, {}),
              FailsWith(StatusCode::kUnavailable, HasSubstr("signal 9")));
}

TEST(OutputOf, SaysThatThereIsNoSuchProgram) {
  EXPECT_THAT(output_of({"no-such-program"}, {}),
              FailsWith(StatusCode::kNotFound, HasSubstr("no-such-program")));
}

TEST(ChildProcess, IsReadLineByLine) {
  auto child = ChildProcess::start({"sh", "-c", "echo one; echo two"}, {});
  ASSERT_TRUE(child.ok());
  EXPECT_EQ(child->read_line(), "one");
  EXPECT_EQ(child->read_line(), "two");
  EXPECT_EQ(child->read_line(), "");
  EXPECT_TRUE(child->wait().ok());
}

TEST(ChildProcess, IsKilledWhenNobodyWaits) {
  // It would sleep for longer than the test may take.
  auto child = ChildProcess::start({"sh", "-c", "echo ready; exec sleep 1000"}, {"PATH=/usr/bin"});
  ASSERT_TRUE(child.ok());
  EXPECT_EQ(child->read_line(), "ready");
}

}  // namespace
}  // namespace triode::bench
