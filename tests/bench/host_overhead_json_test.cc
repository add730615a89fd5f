// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/host_overhead_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace triode::bench {
namespace {

using Json = nlohmann::ordered_json;

HostOverheadResults one_shape() {
  OverheadShape shape;
  shape.problem = Problem::mm(DType::kF32, 8, 8, 8);
  shape.contestants = {{{kDirect, {100, 110, 120}, 7}, "libopenblas.so.0", {}},
                       {{kOff, {110, 120, 130}, 7}, "libopenblas.so.0", {}},
                       {{kHitOurs, {50, 55, 60}, 7}, "generated code", {}}};
  HostOverheadResults results;
  results.shapes = {shape};
  results.misses_remark = "not allowed";
  return results;
}

Json report(const HostOverheadResults& results) {
  return Json::parse(host_overhead_json(results, summarize(results)));
}

TEST(HostOverheadJson, EndsInTheSummary) {
  const Json json = report(one_shape());
  EXPECT_EQ(std::prev(json.end()).key(), "summary");
}

TEST(HostOverheadJson, SummaryHasTheAgreedFields) {
  const Json summary = report(one_shape())["summary"];
  EXPECT_DOUBLE_EQ(summary["off_ns"], 10);
  EXPECT_DOUBLE_EQ(summary["off_spread_ns"], 0);
  EXPECT_DOUBLE_EQ(summary["off_p99_ns"], 10);
  EXPECT_DOUBLE_EQ(summary["hit_ours_gain_ns"], 55);
  EXPECT_DOUBLE_EQ(summary["hit_ours_speedup"], 2);
}

TEST(HostOverheadJson, WhatWasNotMeasuredIsNull) {
  const Json summary = report(one_shape())["summary"];
  for (const char* name :
       {"observe_ns", "hit_vendor_ns", "hit_instructions", "hit_added_instructions",
        "preload_startup_ms", "preload_startup_cpu_ms", "threads"}) {
    EXPECT_TRUE(summary.at(name).is_null()) << name;
  }
}

TEST(HostOverheadJson, SaysWhyCacheMissesAreNull) {
  const Json json = report(one_shape());
  EXPECT_TRUE(json["shapes"][0]["timings"]["off"]["l1d_misses_per_call"].is_null());
  EXPECT_EQ(json["cache_misses_remark"], "not allowed");
}

TEST(HostOverheadJson, HoldsTheRawSamplesOfEveryFigure) {
  HostOverheadResults results = one_shape();
  results.instructions.stepped = {{100, 50, 10}, {101, 50, 11}};
  results.startup.emplace();
  results.startup->with_ms = {12, 13};
  results.startup->without_ms = {10, 11};
  results.startup->with_cpu_ms = {8, 9};
  results.startup->without_cpu_ms = {6, 7};
  const Json json = report(results);
  EXPECT_EQ(json["shapes"][0]["timings"]["off"]["samples_ns"], Json({110, 120, 130}));
  EXPECT_EQ(json["instructions"]["stepped"]["before_kernel"], Json({100, 101}));
  EXPECT_EQ(json["startup"]["with_ms"], Json({12, 13}));
  EXPECT_EQ(json["startup"]["without_cpu_ms"], Json({6, 7}));
}

}  // namespace
}  // namespace triode::bench
