// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/runtime/temporary_folder.h"

namespace triode::host {
namespace {

using testing::HasSubstr;
using testing::Not;

Report::Row row(const char* problem, uint64_t vendor_calls, double vendor_ns, uint64_t our_calls,
                double our_ns) {
  Report::Row made{.problem = problem, .vendor = "libblas.so.3 12 sgemm_", .tally = {}, .plan = {}};
  made.tally.by_vendor = {vendor_calls, vendor_calls,
                          vendor_ns * static_cast<double>(vendor_calls)};
  made.tally.by_us = {our_calls, our_calls, our_ns * static_cast<double>(our_calls)};
  return made;
}

Report two_rows() {
  Report report{.mode = "tune", .rows = {}, .others = {.empty = 5, .invalid = 2}};
  report.rows.push_back(row("mm f32 8x8x8 nn", 10, 2000, 90, 1000));
  report.rows[0].plan = {PlanState::kPlanned, "mr=8", 1.9, ""};
  report.rows[0].has_plan = true;
  report.rows.push_back(row("mm f32 9x9x9 nn", 100, 500, 0, 0));
  return report;
}

TEST(Report, CountsWhatHadSomethingToMultiply) {
  EXPECT_EQ(two_rows().calls(), 200u);
  EXPECT_EQ(two_rows().answered(), 90u);
}

TEST(Report, SavesByTheMeasuredSpeedup) {
  EXPECT_DOUBLE_EQ(two_rows().rows[0].speedup(), 1.9);
  EXPECT_NEAR(two_rows().saved_ns(), 90 * 1000 * 0.9, 1e-6);
}

// What it promised when it was found did not hold.
TEST(Report, SavesNothingByAPlanThatWasWithdrawn) {
  Report report = two_rows();
  report.rows[0] = row("mm f32 8x8x8 nn", 10, 1000, 90, 2000);
  report.rows[0].plan = {PlanState::kWithdrawn, "mr=8", 1.9, ""};
  report.rows[0].has_plan = true;
  EXPECT_DOUBLE_EQ(report.rows[0].speedup(), 0.5);
  EXPECT_NEAR(report.saved_ns(), -90 * 1000, 1e-6);
  EXPECT_THAT(to_table(report), HasSubstr(", nothing saved\n"));
  EXPECT_THAT(to_table(report), HasSubstr("0.50x  withdrawn "));
}

TEST(Report, ComparesTheMeansWhereNothingWasMeasured) {
  EXPECT_DOUBLE_EQ(row("", 10, 2000, 10, 1000).speedup(), 2);
  EXPECT_EQ(row("", 10, 2000, 0, 0).speedup(), 0);
}

TEST(Report, TableNamesEachProblemOnALineOfItsOwn) {
  const std::string table = to_table(two_rows());
  EXPECT_THAT(table, HasSubstr("200 matmuls of 2 kinds"));
  EXPECT_THAT(table, HasSubstr("45.0 % answered"));
  EXPECT_THAT(table, HasSubstr("1.90x  tuned        mm f32 8x8x8 nn\n"));
  EXPECT_THAT(table, HasSubstr("vendor       mm f32 9x9x9 nn\n"));
}

TEST(Report, TellsWhatWasLookedForInVainFromWhatWasNotLookedFor) {
  Report report = two_rows();
  report.rows[1].has_plan = true;
  report.rows[1].plan.state = PlanState::kVendorStays;
  EXPECT_THAT(to_table(report), HasSubstr("vendor stays mm f32 9x9x9 nn\n"));
}

TEST(Report, SaysWhichBatchesWerePassedOn) {
  Report report = two_rows();
  EXPECT_THAT(to_table(report), Not(HasSubstr("batches")));
  report.others.uneven_batches = 7;
  EXPECT_THAT(to_table(report), HasSubstr("\n7 batches of several groups or at unequal"));
  EXPECT_EQ(nlohmann::json::parse(to_json(report))["uneven_batches"], 7);
}

TEST(Report, JsonHoldsTheSame) {
  const auto json = nlohmann::json::parse(to_json(two_rows()));
  EXPECT_EQ(json["calls"], 200);
  EXPECT_EQ(json["share_answered"], 0.45);
  EXPECT_EQ(json["empty"], 5);
  EXPECT_EQ(json["invalid"], 2);
  EXPECT_EQ(json["problems"][0]["by_triode"]["calls"], 90);
  EXPECT_EQ(json["problems"][0]["config"], "mr=8");
  EXPECT_EQ(json["problems"][1]["plan"], "vendor");
}

TEST(Report, JsonSurvivesOddCharacters) {
  Report report = two_rows();
  report.rows[0].vendor = "lib\"odd\\name\n";
  EXPECT_EQ(nlohmann::json::parse(to_json(report))["problems"][0]["vendor"], "lib\"odd\\name\n");
}

}  // namespace
}  // namespace triode::host
