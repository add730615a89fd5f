// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/host_overhead_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tools/bench/command_line.h"

namespace triode::bench {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

struct Answer {
  int code;
  std::string out;
  std::string err;
};

Answer run(const std::vector<std::string>& arguments) {
  std::ostringstream out;
  std::ostringstream err;
  const int code = run_host_overhead(arguments, out, err);
  return {code, out.str(), err.str()};
}

TEST(HostOverheadCommand, HelpIsTheDocumentAndNamesEveryOption) {
  const Answer answer = run({"--help"});
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
  const Answer answer = run({"--frobnicate"});
  EXPECT_EQ(answer.code, kWrongUsage);
  EXPECT_THAT(answer.out, IsEmpty());
  EXPECT_THAT(answer.err, HasSubstr("--frobnicate"));
}

TEST(HostOverheadCommand, MissingLibraryIsAFailureThatNamesIt) {
  const Answer answer = run({"--library", "/nowhere/libtriode.so"});
  EXPECT_EQ(answer.code, kFailed);
  EXPECT_THAT(answer.out, IsEmpty());
  EXPECT_THAT(answer.err, HasSubstr("/nowhere/libtriode.so"));
}

}  // namespace
}  // namespace triode::bench
