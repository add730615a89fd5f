// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/host_overhead_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/bench/command_answer.h"
#include "tools/bench/command_line.h"

namespace triode::bench {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

CommandAnswer run(const std::vector<std::string>& arguments) {
  return answer_of(run_host_overhead, arguments);
}

TEST(HostOverheadCommand, HelpIsTheDocumentAndNamesEveryOption) {
  const CommandAnswer answer = run({"--help"});
  EXPECT_EQ(answer.code, kDone);
  EXPECT_THAT(answer.out, StartsWith("# triode bench"));
  const std::string own = answer.out.substr(answer.out.find("## host-overhead"));
  for (const char* option :
       {"--threads", "--rounds", "--budget", "--counted-calls", "--start-rounds", "--library",
        "--json", "--quiet", "--seed", "--help", "--version"}) {
    EXPECT_THAT(own, HasSubstr(option));
  }
}

TEST(HostOverheadCommand, VersionIsTheProgramsAlsoAsJson) {
  EXPECT_THAT(run({"--version"}).out, StartsWith("triode-bench "));
  EXPECT_THAT(run({"--version", "--json"}).out, StartsWith("{\"name\": \"triode-bench\""));
}

TEST(HostOverheadCommand, WrongFlagIsWrongUsageAndPrintsNoResult) {
  const CommandAnswer answer = run({"--frobnicate"});
  EXPECT_EQ(answer.code, kWrongUsage);
  EXPECT_THAT(answer.out, IsEmpty());
  EXPECT_THAT(answer.err, HasSubstr("--frobnicate"));
}

TEST(HostOverheadCommand, MissingLibraryIsAFailureThatNamesIt) {
  const CommandAnswer answer = run({"--library", "/nowhere/libtriode.so"});
  EXPECT_EQ(answer.code, kFailed);
  EXPECT_THAT(answer.out, IsEmpty());
  EXPECT_THAT(answer.err, HasSubstr("/nowhere/libtriode.so"));
}

}  // namespace
}  // namespace triode::bench
