// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/host_overhead_summary.h"

#include <gtest/gtest.h>

#include <numeric>

namespace triode::bench {
namespace {

ContestantResult contestant(const std::string& name, std::vector<double> times) {
  return {{name, std::move(times), 1}, "", {}};
}

// Off adds 10 in each round, observe 30, hit_vendor 20; a plan takes half the time.
OverheadShape shape(double direct_ns, int threads = 1) {
  const auto rounds = [](double ns) { return std::vector<double>{ns, ns, ns}; };
  OverheadShape result;
  result.threads = threads;
  result.contestants = {
      contestant(kDirect, rounds(direct_ns)), contestant(kOff, rounds(direct_ns + 10)),
      contestant(kObserve, rounds(direct_ns + 30)), contestant(kHitVendor, rounds(direct_ns + 20)),
      contestant(kHitOurs, rounds(direct_ns / 2))};
  return result;
}

TEST(Difference, IsTheMedianOfDifferencesWithinRounds) {
  // Differences 5, 5, 5, however the times vary.
  const Difference steady = difference({105, 205, 405}, {100, 200, 400});
  EXPECT_DOUBLE_EQ(steady.median, 5);
  EXPECT_DOUBLE_EQ(steady.spread, 0);
}

TEST(Difference, HasASpreadInTheUnitOfTheSamples) {
  // Differences 0, 10, 20, 30, 40: quartiles 10 and 30.
  const Difference wide = difference({100, 110, 120, 130, 140}, {100, 100, 100, 100, 100});
  EXPECT_DOUBLE_EQ(wide.median, 20);
  EXPECT_DOUBLE_EQ(wide.spread, 10);
  EXPECT_DOUBLE_EQ(wide.p99, 40);
}

TEST(P99, IsExceededByOneValueInAHundred) {
  std::vector<double> values(200);
  std::iota(values.rbegin(), values.rend(), 1.0);
  EXPECT_DOUBLE_EQ(p99_of(values), 198);
  EXPECT_DOUBLE_EQ(p99_of({7}), 7);
}

TEST(HostOverheadSummary, TakesTheMedianOverTheShapes) {
  HostOverheadResults results;
  results.shapes = {shape(100), shape(200), shape(1000)};
  results.shapes[2].contestants[1] = contestant(kOff, {1500, 1500, 1500});
  const ThreadOverhead single = *summarize(results).single;
  EXPECT_DOUBLE_EQ(single.off_ns->median, 10);  // of 10, 10, 500
  EXPECT_DOUBLE_EQ(single.observe_ns->median, 30);
  EXPECT_DOUBLE_EQ(single.hit_vendor_ns->median, 20);
}

TEST(HostOverheadSummary, CountsWhatAPlanGains) {
  HostOverheadResults results;
  results.shapes = {shape(100), shape(200), shape(1000)};
  const ThreadOverhead single = *summarize(results).single;
  EXPECT_DOUBLE_EQ(single.hit_ours_gain_ns->median, 100);  // of 50, 100, 500
  EXPECT_DOUBLE_EQ(*single.hit_ours_speedup, 2);
}

TEST(HostOverheadSummary, LeavesOutAPlanThatWasNotTimed) {
  HostOverheadResults results;
  results.shapes = {shape(100)};
  results.shapes[0].contestants.pop_back();
  const ThreadOverhead single = *summarize(results).single;
  EXPECT_FALSE(single.hit_ours_gain_ns.has_value());
  EXPECT_FALSE(single.hit_ours_speedup.has_value());
  EXPECT_TRUE(single.off_ns.has_value());
}

TEST(HostOverheadSummary, KeepsTwoThreadsApart) {
  HostOverheadResults results;
  results.shapes = {shape(100, 2)};
  results.shapes[0].is_undisturbed = false;
  const HostOverheadSummary summary = summarize(results);
  EXPECT_FALSE(summary.single.has_value());
  EXPECT_DOUBLE_EQ(summary.pair->off_ns->median, 10);
  EXPECT_EQ(summary.pair->disturbed_shapes, 1);
}

TEST(HostOverheadSummary, TakesTheInstructionsOfTheUsualHit) {
  HostOverheadResults results;
  EXPECT_FALSE(summarize(results).hit_instructions.has_value());
  results.instructions.stepped = {{100, 50, 10}, {500, 50, 90}, {100, 50, 10}};
  EXPECT_DOUBLE_EQ(*summarize(results).hit_instructions, 100);
  EXPECT_FALSE(summarize(results).hit_added_instructions.has_value());
}

TEST(HostOverheadSummary, TakesStartUpRoundByRound) {
  HostOverheadResults results;
  EXPECT_FALSE(summarize(results).preload_startup_ms.has_value());
  results.startup.emplace();
  results.startup->without_ms = {10, 20, 30};
  results.startup->with_ms = {11, 22, 31};
  results.startup->without_cpu_ms = {9, 8, 9};
  results.startup->with_cpu_ms = {11, 11, 10};
  EXPECT_DOUBLE_EQ(summarize(results).preload_startup_ms->median, 1);
  EXPECT_DOUBLE_EQ(summarize(results).preload_startup_cpu_ms->median, 2);
  EXPECT_DOUBLE_EQ(summarize(results).preload_startup_interval_ms->low, 1);
  EXPECT_DOUBLE_EQ(summarize(results).preload_startup_interval_ms->high, 2);
}

TEST(HostOverheadSummary, AddsUpTheInstructionsOfAStart) {
  HostOverheadResults results;
  results.startup.emplace();
  results.startup->without_ms = results.startup->with_ms = {10};
  results.startup->without_cpu_ms = results.startup->with_cpu_ms = {10};
  EXPECT_FALSE(summarize(results).preload_startup_instructions.has_value());
  results.startup->without_instructions = {{"ld.so", 100}, {"python", 1000}};
  results.startup->with_instructions = {{"ld.so", 170}, {"python", 1000}, {"libtriode.so", 30}};
  EXPECT_DOUBLE_EQ(*summarize(results).preload_startup_instructions, 100);
}

}  // namespace
}  // namespace triode::bench
