// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/host_overhead_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace triode::bench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

OverheadShape shape_of(double direct_ns) {
  OverheadShape shape;
  shape.problem = Problem::mm(DType::kF32, 8, 8, 8);
  shape.contestants = {{{kDirect, {direct_ns}, 7}, "", {}},
                       {{kOff, {direct_ns + 12}, 7}, "", {}},
                       {{kObserve, {direct_ns + 31}, 7}, "", {}},
                       {{kHitVendor, {direct_ns + 33}, 7}, "", {}},
                       {{kHitOurs, {direct_ns / 2}, 7}, "", {}}};
  return shape;
}

std::string end_of(const HostOverheadResults& results) {
  std::ostringstream out;
  HostOverheadTable(out).end(results, summarize(results));
  return out.str();
}

std::string row_of(const OverheadShape& shape) {
  std::ostringstream out;
  HostOverheadTable(out).row(shape);
  return out.str();
}

TEST(HostOverheadTable, SaysInItsHeadWhatIsAimedAt) {
  std::ostringstream out;
  HostOverheadTable(out).begin({});
  EXPECT_THAT(out.str(), HasSubstr("off at most 15 ns"));
  EXPECT_THAT(out.str(), HasSubstr("below 120 instructions"));
  EXPECT_THAT(out.str(), HasSubstr("start-up at most 3 ms"));
}

TEST(HostOverheadTable, RowsOfShortAndLongCallsAlign) {
  const std::string small = row_of(shape_of(80));
  const std::string large = row_of(shape_of(9000));
  EXPECT_EQ(small.find("12.0"), large.find("12.0"));
  EXPECT_EQ(small.find("33.0"), large.find("33.0"));
}

TEST(HostOverheadTable, SaysWhyAPlanWasNotTimed) {
  OverheadShape shape = shape_of(80);
  shape.contestants.pop_back();
  shape.plan_remark = "nothing beat the vendor";
  EXPECT_THAT(row_of(shape), HasSubstr("-  nothing beat the vendor"));
}

TEST(HostOverheadTable, SaysWhatWasNotMeasuredAndWhy) {
  HostOverheadResults results;
  results.shapes = {shape_of(80)};
  results.instructions.stepped_remark = "ptrace is not allowed here";
  results.instructions.callgrind_remark = "cannot start valgrind";
  results.startup_remark = "cannot start python3";
  results.misses_remark = "L1d misses are not counted";
  const std::string text = end_of(results);
  EXPECT_THAT(text, HasSubstr("ptrace is not allowed here"));
  EXPECT_THAT(text, HasSubstr("cannot start valgrind"));
  EXPECT_THAT(text, HasSubstr("cannot start python3"));
  EXPECT_THAT(text, HasSubstr("L1d misses are not counted"));
}

TEST(HostOverheadTable, ShowsMissesWhereTheyWereCounted) {
  HostOverheadResults results;
  results.shapes = {shape_of(80)};
  results.shapes[0].contestants[1].misses.l1d = {0.25, 0.5, 0.75};
  EXPECT_THAT(end_of(results), HasSubstr("L1d misses per call: off 0.50\n"));
  EXPECT_THAT(end_of(results), Not(HasSubstr("LLC misses per call")));
}

}  // namespace
}  // namespace triode::bench
