// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <triode/triode.h>

#include <cstdint>

namespace triode {

// The C interface as tests use it: what fails here fails the test.

inline void start(int32_t mode, int32_t force_plans = TRIODE_FORCE_OFF) {
  triode_options options = TRIODE_OPTIONS_INIT;
  options.mode = mode;
  options.force_plans = force_plans;
  ASSERT_EQ(triode_init(&options), TRIODE_OK) << triode_last_error();
}

// The vendor answers, and Triode counts.
inline void start_observing() {
  start(TRIODE_MODE_OBSERVE);
}

// Kernels of ours answer from the first call on.
inline void start_answering() {
  start(TRIODE_MODE_OBSERVE, TRIODE_FORCE_FIRST);
}

inline triode_statistics statistics() {
  triode_statistics sums{};
  sums.size = sizeof sums;
  EXPECT_EQ(triode_stats(&sums), TRIODE_OK);
  return sums;
}

inline triode_plan_info query(const triode_gemm_call& shape) {
  triode_plan_info info{};
  info.size = sizeof info;
  EXPECT_EQ(triode_plan_query(&shape, &info), TRIODE_OK) << triode_last_error();
  return info;
}

inline triode_gemm_call without_pointers(triode_gemm_call call) {
  call.a = call.b = nullptr;
  call.c = nullptr;
  return call;
}

inline triode_plan* make_plan(const triode_gemm_call& shape) {
  triode_plan* plan = nullptr;
  EXPECT_EQ(triode_plan_create(&shape, &plan), TRIODE_OK) << triode_last_error();
  return plan;
}

inline triode_status run(triode_plan* plan, const triode_gemm_call& call) {
  return triode_plan_run(plan, call.alpha, call.a, call.b, call.beta, call.c);
}

}  // namespace triode
