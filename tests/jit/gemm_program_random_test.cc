// SPDX-License-Identifier: Apache-2.0
// Programs of random configs on random problems against the reference. The seed is fixed by the
// test's parameters, so that a failure comes back; TRIODE_TEST_LONG=1 draws more.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/random.h"
#include "tests/jit/problem_draw.h"
#include "tests/jit/program_check.h"
#include "tests/jit/test_length.h"

namespace triode::x86 {
namespace {

using ::testing::Bool;
using ::testing::Combine;
using ::testing::Values;
using ::testing::ValuesIn;

constexpr int kProblems = 40;
constexpr int kConfigsPerProblem = 6;
constexpr std::array kAlphas = {1.0, 0.37, -1.0, 1.0, 0.0};  // 0 runs no kernel, so it comes rarely
constexpr std::array kBetas = {0.0, 1.0, 2.5, -1.0};

using Kind = std::tuple<IsaId, DType, bool, bool>;  // width, type, a transposed, b transposed

class RandomPrograms : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    if (std::ranges::find(runnable_isas(), isa()) == runnable_isas().end()) {
      GTEST_SKIP() << "this processor has no " << describe(isa()).name;
    }
  }

  static IsaId isa() { return std::get<0>(GetParam()); }

  static uint64_t seed() {
    const auto& [isa, dtype, a_transposed, b_transposed] = GetParam();
    return 1000 * static_cast<uint64_t>(isa) + 100 * static_cast<uint64_t>(dtype) +
           10 * static_cast<uint64_t>(a_transposed) + static_cast<uint64_t>(b_transposed);
  }

  static Problem problem_of(int64_t m, int64_t n, int64_t k) {
    const auto& [isa, dtype, a_transposed, b_transposed] = GetParam();
    return Problem::mm(dtype, m, n, k, a_transposed, b_transposed);
  }

  static Problem draw_problem(Random& random) {
    Problem problem = problem_of(draw_size(random), draw_size(random), draw_size(random));
    draw_leading_dimensions(problem, random);
    if (random.below(6) == 0) draw_batch(problem, random);
    return problem;
  }
};

// Alpha and beta go through all their pairs; everything else is drawn.
TEST_P(RandomPrograms, AreRight) {
  Random random(seed());
  for (int i = 0; i < scaled_count(kProblems); ++i) {
    const Problem problem = draw_problem(random);
    const auto pair = static_cast<size_t>(i);
    const auto element_bytes = static_cast<size_t>(size_bytes(problem.c_type));
    ProgramCheck program(problem, {.alpha = kAlphas[pair % kAlphas.size()],
                                   .beta = kBetas[pair / kAlphas.size() % kBetas.size()],
                                   .offset_bytes = random.below(3) * element_bytes,
                                   .seed = random.next()});
    const std::vector<Config> configs = program.legal_configs(isa());
    ASSERT_FALSE(configs.empty()) << to_string(problem);
    for (int draw = 0; draw < kConfigsPerProblem; ++draw) {
      ASSERT_EQ(program.failure_of(configs[random.below(configs.size())]), "");
    }
  }
}

// Two parameters and a value of each.
using Pair = std::tuple<size_t, int32_t, size_t, int32_t>;

std::vector<Pair> pairs_of(const Config& config) {
  std::vector<Pair> pairs;
  for (size_t i = 0; i < config.size(); ++i) {
    for (size_t j = i + 1; j < config.size(); ++j) pairs.emplace_back(i, config[i], j, config[j]);
  }
  return pairs;
}

// Values that break only together mostly break in pairs: of the configs drawn, those that bring a
// pair of values no earlier one had are run.
TEST_P(RandomPrograms, AreRightForPairsOfParameterValues) {
  constexpr int kDraws = 4000;
  Random random(seed());
  Problem problem = problem_of(53, 197, 133);
  problem.lda += 3;
  problem.ldc += 5;
  ProgramCheck program(problem, {.alpha = 0.37, .beta = 2.5});
  const std::vector<Config> configs = program.legal_configs(isa());
  ASSERT_FALSE(configs.empty());
  std::set<Pair> met;
  for (int draw = 0; draw < scaled_count(kDraws); ++draw) {
    const Config& config = configs[random.below(configs.size())];
    const std::vector<Pair> pairs = pairs_of(config);
    const size_t before = met.size();
    met.insert(pairs.begin(), pairs.end());
    if (met.size() == before) continue;
    ASSERT_EQ(program.failure_of(config), "");
  }
}

std::string kind_name(const testing::TestParamInfo<Kind>& test) {
  const auto& [isa, dtype, a_transposed, b_transposed] = test.param;
  std::string name(describe(isa).name);
  std::erase(name, '-');
  return name + "_" + std::string(to_string(dtype)) + "_" + (a_transposed ? "t" : "n") +
         (b_transposed ? "t" : "n");
}

INSTANTIATE_TEST_SUITE_P(EveryKind, RandomPrograms,
                         Combine(ValuesIn(all_isas().begin(), all_isas().end()),
                                 Values(DType::kF32, DType::kF64), Bool(), Bool()),
                         kind_name);

}  // namespace
}  // namespace triode::x86
