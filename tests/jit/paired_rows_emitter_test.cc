// SPDX-License-Identifier: Apache-2.0
#include "jit/x86/paired_rows_emitter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "jit/x86/kernel.h"
#include "tests/jit/disassembly.h"
#include "tests/jit/kernel_specs.h"
#include "tests/jit/program_check.h"

namespace triode::x86 {
namespace {

using ::testing::Combine;
using ::testing::Values;

using Kind = std::tuple<IsaId, DType>;

int32_t half_vector(IsaId isa, DType dtype) {
  return describe(isa).lanes(size_bytes(dtype)) / 2;
}

// Programs between guard pages, so that what is right here also stays inside its matrices.
class PairedRows : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    if (std::ranges::find(runnable_isas(), isa()) == runnable_isas().end()) {
      GTEST_SKIP() << "this processor has no " << describe(isa()).name;
    }
  }

  static IsaId isa() { return std::get<0>(GetParam()); }
  static DType dtype() { return std::get<1>(GetParam()); }

  // Of low tiles and the tallest, and of loops over k of every kind.
  static std::vector<GemmConfig> paired_configs(const ProgramCheck& program) {
    const Space space = program.space(isa());
    std::vector<GemmConfig> legal;
    for (const int32_t mr : {1, 2, 3, 4, 8, 28}) {
      for (const int32_t ku : {1, 2, 4, 8}) {
        for (const int32_t kc : {0, 4}) {
          for (const RowTiles rows : {RowTiles::kTail, RowTiles::kBalanced}) {
            const GemmConfig config{.isa = isa(),
                                    .mr = mr,
                                    .nr = half_vector(isa(), dtype()),
                                    .ku = ku,
                                    .kc = kc,
                                    .rows = rows};
            if (space.is_legal(to_config(config))) legal.push_back(config);
          }
        }
      }
    }
    return legal;
  }

  // Every paired config of the problem; how many there were.
  static size_t expect_right(const Problem& problem, const ProgramCheck::Options& options) {
    ProgramCheck program(problem, options);
    const std::vector<GemmConfig> configs = paired_configs(program);
    for (const GemmConfig& config : configs) EXPECT_EQ(program.failure_of(config), "");
    return configs.size();
  }
};

TEST_P(PairedRows, AreRightForEveryWidthAndRemainder) {
  for (int64_t n = 2; n <= half_vector(isa(), dtype()); ++n) {
    for (const int64_t m : {2, 3, 5, 8, 31}) {
      for (const int64_t k : {1, 2, 3, 4, 7, 8, 9, 37}) {
        EXPECT_GT(expect_right(Problem::mm(dtype(), m, n, k), {}), 0u) << m << "x" << n << "x" << k;
      }
    }
  }
}

TEST_P(PairedRows, AreRightForAnyScalars) {
  for (const int64_t n : {half_vector(isa(), dtype()), half_vector(isa(), dtype()) - 1}) {
    const Problem problem = Problem::mm(dtype(), 7, n, 6);
    expect_right(problem, {.beta = 1});
    expect_right(problem, {.alpha = 0.37, .beta = -0.6});
    expect_right(problem, {.alpha = -1, .beta = 0.6, .any_scalars = true});
  }
}

TEST_P(PairedRows, KeepTheGapsBetweenRows) {
  Problem problem = Problem::mm(dtype(), 9, half_vector(isa(), dtype()), 11);
  problem.lda += 3;
  problem.ldb += 1;
  problem.ldc += 5;
  EXPECT_GT(expect_right(problem, {}), 0u);
}

TEST_P(PairedRows, AreForNarrowProductsOfRowsWithoutGaps) {
  const int64_t half = half_vector(isa(), dtype());
  for (const Problem& problem :
       {Problem::mm(dtype(), 8, half + 1, 8), Problem::mm(dtype(), 1, half, 8),
        Problem::mm(dtype(), 8, half, 8, true, false),
        Problem::mm(dtype(), 8, half, 8, false, true)}) {
    EXPECT_TRUE(paired_configs(ProgramCheck(problem, {})).empty()) << to_string(problem);
  }
}

std::string kind_name(const testing::TestParamInfo<Kind>& test) {
  std::string name(describe(std::get<0>(test.param)).name);
  std::erase(name, '-');
  return name + "_" + std::string(to_string(std::get<1>(test.param)));
}

INSTANTIATE_TEST_SUITE_P(EveryKind, PairedRows,
                         Combine(Values(IsaId::kAvx512, IsaId::kAvx512Ymm),
                                 Values(DType::kF32, DType::kF64)),
                         kind_name);

TEST(PairedRowsEmitter, MultipliesTwoRowsAtOnce) {
  const auto kernel = Kernel::compile(paired_spec(IsaId::kAvx512, DType::kF32));
  ASSERT_TRUE(kernel.ok()) << kernel.status().to_string();
  EXPECT_EQ(count_mnemonic(disassemble((*kernel)->code()), "vfmadd231ps"), 8 * 8 / 2);
}

}  // namespace
}  // namespace triode::x86
