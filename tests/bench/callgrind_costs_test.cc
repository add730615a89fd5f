// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/callgrind_costs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/core/status_matchers.h"

namespace triode::bench {
namespace {

using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

Result<ObjectCosts> read(const std::string& text) {
  std::istringstream stream(text);
  return read_object_costs(stream);
}

TEST(ObjectCosts, AddsUpWhatEachFileExecutesItself) {
  const auto costs = read(
      "events: Ir\n"
      "\n"
      "ob=(1) /usr/bin/program\n"
      "fn=(1) main\n"
      "10 5\n"
      "+2 7\n"
      "cob=(2) /usr/lib/libtriode.so\n"
      "cfn=(2) cblas_sgemm\n"
      "calls=3 20\n"
      "* 900\n"
      "ob=(2)\n"
      "fn=(2)\n"
      "0 100\n"
      "ob=(3) ???\n"
      "fn=(3) 0x00001234\n"
      "0 800\n"
      "ob=(1)\n"
      "fn=(4) exit\n"
      "-3 1\n");
  ASSERT_TRUE(costs.ok());
  EXPECT_THAT(*costs, UnorderedElementsAre(Pair("/usr/bin/program", 13),
                                           Pair("/usr/lib/libtriode.so", 100), Pair(kNoFile, 800)));
}

TEST(ObjectCosts, RefusesWhatCountsNoInstructions) {
  EXPECT_THAT(read(""), FailsWith(StatusCode::kCorrupt, HasSubstr("instructions")));
  EXPECT_THAT(read("events: Dr\nob=(1) x\n0 5\n"),
              FailsWith(StatusCode::kCorrupt, HasSubstr("instructions")));
}

TEST(AddedPerCall, IsNeitherTheKernelsNorTheProgramsOwn) {
  CallgrindCosts costs;
  costs.calls = 10;
  costs.program = "/usr/bin/program";
  costs.once = {{"/usr/bin/program", 500}, {"libtriode.so", 3000}, {kNoFile, 700}};
  costs.twice = {
      {"/usr/bin/program", 900}, {"libtriode.so", 4500}, {kNoFile, 1400}, {"libc.so.6", 20}};
  EXPECT_DOUBLE_EQ(added_per_call(costs), 152);
}

}  // namespace
}  // namespace triode::bench
