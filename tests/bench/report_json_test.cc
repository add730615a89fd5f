// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/report_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace triode::bench {
namespace {

using Json = nlohmann::ordered_json;

BenchResults one_shape() {
  BenchResults results;
  ShapeResult shape;
  shape.shape = {"64,64,64", Problem::mm(DType::kF32, 64, 64, 64)};
  shape.config = "mr=6 nr=16";
  shape.triode = {"triode", {10, 20, 30}, 7};
  shape.peers = {{"mkl", {20, 50, 90}, 5}};
  shape.limit = {100, Bound::kCompute};
  shape.search.outcomes = {{OutcomeKind::kOk, 3}, {OutcomeKind::kWrongResult, 1}};
  results.shapes = {shape};
  results.compile_us = {5, 6, 7};
  return results;
}

Json report(const BenchResults& results) {
  return Json::parse(report_json(results, summarize(results)));
}

TEST(ReportJson, EndsInTheSummary) {
  const Json json = report(one_shape());
  EXPECT_EQ(std::prev(json.end()).key(), "summary");
}

TEST(ReportJson, SummaryHasTheAgreedFields) {
  const Json summary = report(one_shape())["summary"];
  EXPECT_DOUBLE_EQ(summary["geomean_vs_best"], 2.5);
  EXPECT_DOUBLE_EQ(summary["geomean_vs_best_not_tiny"], 2.5);
  EXPECT_DOUBLE_EQ(summary["min_vs_best_compute_bound"], 2.5);
  EXPECT_DOUBLE_EQ(summary["geomean_vs_mkl"], 2.5);
  EXPECT_DOUBLE_EQ(summary["jit_us_median"], 6);
}

TEST(ReportJson, WhatWasNotMeasuredIsNull) {
  const Json summary = report(one_shape())["summary"];
  EXPECT_TRUE(summary["geomean_vs_openblas_new"].is_null());
  EXPECT_TRUE(summary["threads"].is_null());
  EXPECT_TRUE(summary["transposes"].is_null());
}

TEST(ReportJson, HoldsTheRawSamplesOfEveryFigure) {
  const Json shape = report(one_shape())["shapes"][0];
  EXPECT_EQ(shape["timings"]["triode"]["samples_ns"], Json({10, 20, 30}));
  EXPECT_EQ(shape["timings"]["mkl"]["samples_ns"], Json({20, 50, 90}));
  EXPECT_DOUBLE_EQ(shape["vs_best"]["speedup"], 2.5);
}

TEST(ReportJson, CountsOutcomesByName) {
  const Json outcomes = report(one_shape())["shapes"][0]["search"]["outcomes"];
  EXPECT_EQ(outcomes["ok"], 3);
  EXPECT_EQ(outcomes["wrong-result"], 1);
}

TEST(ReportJson, ThreadsHoldTheFiguresOfSeveralThreads) {
  BenchResults results = one_shape();
  results.shapes[0].threads = 2;
  const Json summary = report(results)["summary"];
  EXPECT_TRUE(summary["geomean_vs_best"].is_null());
  EXPECT_EQ(summary["threads"]["count"], 2);
  EXPECT_DOUBLE_EQ(summary["threads"]["geomean_vs_best"], 2.5);
}

TEST(ReportJson, NamesThePeersThatWereToldWhichKernelsToUse) {
  BenchResults results = one_shape();
  results.peers = {{"openblas", "0.3.21", "libopenblas.so.0", "SkylakeX", "Prescott"}};
  const Json peer = report(results)["peers"][0];
  EXPECT_EQ(peer["core"], "SkylakeX");
  EXPECT_EQ(peer["mistaken_core"], "Prescott");
}

}  // namespace
}  // namespace triode::bench
