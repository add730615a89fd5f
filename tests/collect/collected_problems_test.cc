// SPDX-License-Identifier: Apache-2.0
#include "tools/collect/collected_problems.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

#include "jit/x86/gemm_space.h"

namespace triode::collect {
namespace {

constexpr std::array kIsas = {x86::IsaId::kAvx2};

TEST(CollectedProblems, PutsTypesAndThreadsOfAShapeSideBySide) {
  const auto options = parse_collect_options({"--random", "3"}, 2);
  const auto problems = collected_problems(*options);
  ASSERT_TRUE(problems.ok());
  ASSERT_EQ(problems->size(), 12u);
  EXPECT_EQ((*problems)[0].threads, 1);
  EXPECT_EQ((*problems)[1].threads, 2);
  EXPECT_EQ((*problems)[2].a_type, DType::kF64);
  EXPECT_EQ((*problems)[3].m, (*problems)[0].m);
}

TEST(CollectedProblems, LeavesOutLargerShapes) {
  const auto options = parse_collect_options({"--set", "reference", "--most-flops", "1e6"}, 1);
  const auto problems = collected_problems(*options);
  ASSERT_TRUE(problems.ok());
  EXPECT_EQ(problems->size(), 8u);  // cubes of 8, 16, 32 and 64, in two types
}

TEST(CollectedConfigs, AreLegalDistinctAndBeginWithThePromisingOne) {
  const Problem problem = Problem::mm(DType::kF32, 33, 65, 17);
  const Space space = x86::gemm_space(problem, kIsas, 1).take();
  const std::vector<Config> configs = collected_configs(problem, space, 40, 1);
  std::set<uint64_t> distinct;
  for (const Config& config : configs) {
    EXPECT_TRUE(space.is_legal(config));
    distinct.insert(space.index_of(config));
  }
  EXPECT_EQ(configs.size(), 40u);
  EXPECT_EQ(distinct.size(), 40u);
  EXPECT_EQ(configs.front(), x86::promising_configs(space, problem).front());
}

TEST(CollectedConfigs, AreTheSameForTheSameSeedAndOthersForAnother) {
  const Problem problem = Problem::mm(DType::kF32, 33, 65, 17);
  const Space space = x86::gemm_space(problem, kIsas, 1).take();
  const auto first = collected_configs(problem, space, 40, 1);
  EXPECT_EQ(first, collected_configs(problem, space, 40, 1));
  EXPECT_NE(first, collected_configs(problem, space, 40, 2));
}

TEST(Neighbour, ChangesOneParameterOrTwo) {
  const Problem problem = Problem::mm(DType::kF32, 33, 65, 17);
  const Space space = x86::gemm_space(problem, kIsas, 1).take();
  const Config config = x86::promising_configs(space, problem).front();
  Random random(3);
  for (int i = 0; i < 50; ++i) {
    const Config next = neighbour(space, config, random);
    int changed = 0;
    for (size_t p = 0; p < config.size(); ++p) changed += next[p] != config[p] ? 1 : 0;
    EXPECT_LE(changed, 2);
  }
}

}  // namespace
}  // namespace triode::collect
