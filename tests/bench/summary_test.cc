// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/summary.h"

#include <gtest/gtest.h>

namespace triode::bench {
namespace {

// A shape on which Triode takes 100 ns in each of three rounds.
ShapeResult shape(int64_t size, std::vector<Series> peers, Bound bound = Bound::kCompute) {
  ShapeResult result;
  result.shape.problem = Problem::mm(DType::kF32, size, size, size);
  result.triode = {"triode", {100, 100, 100}, 1};
  result.peers = std::move(peers);
  result.limit = {100, bound};
  return result;
}

Series peer(const std::string& name, double ns) {
  return {name, {ns, ns, ns}, 1};
}

TEST(Speedup, IsTheMedianOfRatiosWithinRounds) {
  const Series ours = {"triode", {10, 20, 40}, 1};
  const Series theirs = {"blis", {20, 60, 40}, 1};
  // Ratios 2, 3, 1; the ratio of the medians would be 2 as well, that of the means 1.7.
  EXPECT_DOUBLE_EQ(speedup(ours, theirs).median, 2);
}

TEST(Speedup, OfSteadyRatiosHasNoSpreadHoweverTheTimesVary) {
  const Series ours = {"triode", {10, 20, 40, 80}, 1};
  const Series theirs = {"blis", {15, 30, 60, 120}, 1};
  EXPECT_DOUBLE_EQ(speedup(ours, theirs).median, 1.5);
  EXPECT_DOUBLE_EQ(speedup(ours, theirs).spread, 0);
}

TEST(BestPeer, HasTheLeastMedianTime) {
  const ShapeResult result = shape(64, {peer("blis", 150), peer("mkl", 110), peer("onednn", 300)});
  EXPECT_EQ(best_peer(result)->name, "mkl");
}

TEST(BestPeer, IsAbsentWithoutPeers) {
  EXPECT_EQ(best_peer(shape(64, {})), nullptr);
}

TEST(Geomean, OfTwoAndEightIsFour) {
  EXPECT_DOUBLE_EQ(*geomean(std::vector<double>{2, 8}), 4);
  EXPECT_FALSE(geomean(std::vector<double>{}).has_value());
}

TEST(BestOverMedian, ComparesTheBestWithTheMedianRandomConfig) {
  ShapeResult result = shape(64, {});
  EXPECT_FALSE(best_over_median(result).has_value());
  result.search.random_ns = {150, 250, 900};
  EXPECT_DOUBLE_EQ(*best_over_median(result), 2.5);
}

class SummaryTest : public ::testing::Test {
 protected:
  // Ratios to the best: 8 (tiny), 2 (compute), 0.5 (memory).
  void SetUp() override {
    results.shapes = {
        shape(8, {peer("mkl", 800), peer("openblas-new", 1600)}),
        shape(64, {peer("mkl", 400), peer("openblas-new", 200)}),
        shape(512, {peer("mkl", 50), peer("openblas-new", 100)}, Bound::kMemory),
    };
  }
  BenchResults results;
};

TEST_F(SummaryTest, TakesTheBestPeerOfEachShape) {
  EXPECT_DOUBLE_EQ(*summarize(results).single->geomean_vs_best, 2);  // (8 * 2 * 0.5)^(1/3)
}

TEST_F(SummaryTest, LeavesOutTinyShapes) {
  EXPECT_DOUBLE_EQ(*summarize(results).single->geomean_vs_best_not_tiny, 1);  // (2 * 0.5)^(1/2)
}

TEST_F(SummaryTest, FindsTheLeastRatioOfComputeBoundShapes) {
  EXPECT_DOUBLE_EQ(*summarize(results).single->min_vs_best_compute_bound, 2);
  EXPECT_DOUBLE_EQ(*summarize(results).single->geomean_vs_best_compute_bound, 2);
}

// Like the shapes that a pass on several threads after one on one measures at all.
TEST_F(SummaryTest, CountsNoTinyShapeAsBoundByComputingOnAnyNumberOfThreads) {
  for (ShapeResult& result : results.shapes) result.threads = 4;
  const ThreadSummary summary = *summarize(results).threaded;
  EXPECT_EQ(summary.shapes, 3);
  EXPECT_DOUBLE_EQ(*summary.geomean_vs_best_compute_bound, 2);
  EXPECT_FALSE(is_compute_bound(results.shapes[0].shape.problem, results.shapes[0].limit));
  EXPECT_TRUE(is_compute_bound(results.shapes[1].shape.problem, results.shapes[1].limit));
  EXPECT_FALSE(is_compute_bound(results.shapes[2].shape.problem, results.shapes[2].limit));
}

TEST_F(SummaryTest, AveragesEachPeerByItself) {
  const auto by_peer = summarize(results).single->geomean_vs_peer;
  EXPECT_NEAR(by_peer.at("mkl"), 2.5198421, 1e-6);           // (8 * 4 * 0.5)^(1/3)
  EXPECT_NEAR(by_peer.at("openblas-new"), 3.1748021, 1e-6);  // (16 * 2 * 1)^(1/3)
}

TEST_F(SummaryTest, AveragesAPeerOverTheShapesItCouldRun) {
  results.shapes[2].peers.pop_back();
  EXPECT_NEAR(summarize(results).single->geomean_vs_peer.at("openblas-new"), 5.6568542, 1e-6);
}

TEST_F(SummaryTest, KeepsThreadedShapesApart) {
  EXPECT_FALSE(summarize(results).threaded.has_value());
  results.shapes[1].threads = 4;
  const Summary summary = summarize(results);
  EXPECT_EQ(summary.single->shapes, 2);
  EXPECT_EQ(summary.threaded->threads, 4);
  EXPECT_DOUBLE_EQ(*summary.threaded->geomean_vs_best, 2);
}

TEST_F(SummaryTest, CountsDisturbedShapes) {
  results.shapes[0].is_undisturbed = false;
  EXPECT_EQ(summarize(results).single->disturbed_shapes, 1);
}

TEST_F(SummaryTest, CountsAllTransposesOfShapesThatWereNotCompared) {
  results.shapes[1].shape.problem.a_transposed = true;
  EXPECT_EQ(summarize(results).single->shapes, 3);
  EXPECT_TRUE(summarize(results).transposes.empty());
}

TEST_F(SummaryTest, ComparesTransposesWithNn) {
  ShapeResult transposed = shape(64, {peer("mkl", 150)});
  transposed.shape.problem.b_transposed = true;
  results.shapes.push_back(transposed);
  results.transposes = {{"64,64,64", 1, {{"nn", {90, 90}, 1}, {"nt", {100, 100}, 1}}}};
  const Summary summary = summarize(results);
  EXPECT_EQ(summary.single->shapes, 3);
  EXPECT_DOUBLE_EQ(*summary.transposes.at("nt").geomean_vs_nn, 0.9);
  EXPECT_DOUBLE_EQ(*summary.transposes.at("nt").median_spread, 0);
  EXPECT_EQ(summary.transposes.at("nt").shapes, 1);
  EXPECT_DOUBLE_EQ(*summary.transposes.at("nt").geomean_vs_best, 1.5);
  EXPECT_DOUBLE_EQ(*summary.transposes.at("nn").geomean_vs_nn, 1);
}

TEST_F(SummaryTest, ComparesTransposesOnTheFewestThreadsMeasured) {
  results.transposes = {{"64,64,64", 1, {{"nn", {90}, 1}, {"nt", {100}, 1}}},
                        {"64,64,64", 4, {{"nn", {10}, 1}, {"nt", {100}, 1}}}};
  results.shapes[0].threads = 4;
  const Summary summary = summarize(results);
  EXPECT_DOUBLE_EQ(*summary.transposes.at("nn").geomean_vs_best, 1);
  results.shapes[1].shape.problem.b_transposed = true;
  EXPECT_DOUBLE_EQ(*summarize(results).transposes.at("nt").geomean_vs_nn, 0.9);
}

TEST_F(SummaryTest, TakesTheMedianOfCompileTimes) {
  EXPECT_FALSE(summarize(results).jit_us_median.has_value());
  results.compile_us = {5, 40, 10};
  EXPECT_DOUBLE_EQ(*summarize(results).jit_us_median, 10);
}

}  // namespace
}  // namespace triode::bench
