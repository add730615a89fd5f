// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/cpu_plan_maker.h"

#include <gtest/gtest.h>

#include <memory>

namespace triode::host {
namespace {

uint64_t digest_of_random_plan(const CpuPlanMaker& maker, Problem problem, int64_t alignment) {
  problem.alignment_bytes = alignment;
  const auto built = maker.build_forced(problem, ForcedPlans::kRandom);
  EXPECT_TRUE(built.ok());
  return built.ok() ? (*built)->digest() : 0;
}

// Tests of numpy's compare the bits of two calls whose results lie in different places.
TEST(CpuPlanMaker, DrawsTheSameConfigForPointersOfAnyAlignment) {
  const auto maker = CpuPlanMaker::create();
  ASSERT_TRUE(maker.ok()) << maker.status().to_string();
  for (int64_t m = 1; m <= 1024; m *= 4) {
    for (const int64_t n : {1, 32}) {
      const Problem problem = Problem::mm(DType::kF64, m, n, 16);
      EXPECT_EQ(digest_of_random_plan(**maker, problem, 8),
                digest_of_random_plan(**maker, problem, 64))
          << to_string(problem);
    }
  }
}

}  // namespace
}  // namespace triode::host
