// SPDX-License-Identifier: Apache-2.0
#include "jit/x86/gemm_space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/random.h"
#include "jit/x86/gemm_program.h"
#include "tests/core/status_matchers.h"
#include "tests/jit/problem_draw.h"

namespace triode::x86 {
namespace {

using ::testing::_;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::Not;
using ::testing::Pair;
using ::testing::SizeIs;

constexpr std::array kAvx2Only = {IsaId::kAvx2};

Space must_make(const Problem& problem, std::span<const IsaId> isas = all_isas(),
                int32_t cores = 1) {
  Result<Space> space = gemm_space(problem, isas, cores);
  EXPECT_TRUE(space.ok()) << space.status().to_string();
  return space.ok() ? std::move(space).take() : Space();
}

// Legal configs all over the space, drawn with a fixed seed.
std::vector<GemmConfig> draw_configs(const Space& space, int count) {
  Random random(1);
  std::vector<GemmConfig> drawn;
  for (int i = 0; i < count; ++i) {
    if (const auto config = space.sample(random, 100000)) drawn.push_back(to_gemm_config(*config));
  }
  return drawn;
}

std::vector<GemmConfig> all_configs(const Space& space) {
  std::vector<GemmConfig> all;
  for (const Config& config : space.enumerate()) all.push_back(to_gemm_config(config));
  return all;
}

// m, n and k of what people multiply, and of what they hardly do.
constexpr std::array<std::array<int64_t, 3>, 24> kShapes = {{
    {8, 8, 8},        {16, 16, 16},    {32, 32, 32},       {64, 64, 64},     {128, 128, 128},
    {256, 256, 256},  {512, 512, 512}, {1024, 1024, 1024}, {1, 4096, 4096},  {8, 4096, 1024},
    {16, 1000, 2048}, {33, 257, 511},  {100, 100, 1000},   {2048, 64, 64},   {64, 2048, 2048},
    {4096, 10, 512},  {333, 777, 555}, {197, 3072, 768},   {1000, 1000, 17}, {1, 1, 1},
    {4096, 1, 4096},  {1, 1, 4096},    {4096, 4096, 1},    {3, 1, 2},
}};

TEST(GemmSpace, HasThousandsOfConfigsForALargeSquare) {
  const Space space = must_make(Problem::mm(DType::kF32, 1024, 1024, 1024), kAvx2Only);
  EXPECT_THAT(space.enumerate(2000), SizeIs(2000));
}

TEST(GemmSpace, HasAConfigForEveryShapeTypeAndTranspose) {
  for (const auto& [m, n, k] : kShapes) {
    for (const DType dtype : {DType::kF32, DType::kF64}) {
      for (const int transposes : {0, 1, 2, 3}) {
        const Problem problem = Problem::mm(dtype, m, n, k, transposes & 1, transposes & 2);
        for (const IsaId isa : all_isas()) {
          const std::array isas = {isa};
          EXPECT_THAT(must_make(problem, isas).enumerate(1), SizeIs(1)) << to_string(problem);
        }
      }
    }
  }
}

TEST(GemmSpace, EnumeratesInOrderOfIndex) {
  const Space space = must_make(Problem::mm(DType::kF32, 33, 65, 17), kAvx2Only);
  const std::vector<Config> configs = space.enumerate();
  ASSERT_THAT(configs, Not(IsEmpty()));
  EXPECT_TRUE(std::ranges::is_sorted(configs, [&](const Config& x, const Config& y) {
    return space.index_of(x) < space.index_of(y);
  }));
}

TEST(GemmSpace, IndexLeadsBackToTheConfig) {
  const Space space = must_make(Problem::mm(DType::kF32, 33, 65, 17));
  for (const Config& config : space.enumerate(5000)) {
    ASSERT_EQ(space.at(space.index_of(config)), config);
  }
}

TEST(GemmSpace, IsTheSameEveryTime) {
  const Problem problem = Problem::mm(DType::kF64, 33, 65, 17, true, true);
  EXPECT_EQ(must_make(problem).enumerate(), must_make(problem).enumerate());
}

TEST(GemmSpace, TypedFormLeadsBackToTheConfig) {
  const Space space = must_make(Problem::mm(DType::kF32, 33, 65, 17));
  for (const Config& config : space.enumerate())
    ASSERT_EQ(to_config(to_gemm_config(config)), config);
}

TEST(GemmSpace, TextLeadsBackToTheConfig) {
  const Space space = must_make(Problem::mm(DType::kF32, 300, 200, 100));
  for (const GemmConfig& config : draw_configs(space, 200)) {
    const std::string text = space.to_string(to_config(config));
    const Result<Config> parsed = space.parse(text);
    ASSERT_TRUE(parsed.ok()) << parsed.status().to_string();
    EXPECT_EQ(to_gemm_config(*parsed), config) << text;
  }
}

TEST(GemmSpace, TextNamesWhatHasAName) {
  const Space space = must_make(Problem::mm(DType::kF32, 300, 200, 100), kAvx2Only);
  const std::string text = space.to_string(space.enumerate(1).front());
  EXPECT_THAT(text, HasSubstr("isa=avx2 family=outer mr="));
  EXPECT_THAT(text, HasSubstr(" pack_b="));
}

TEST(GemmSpace, HoldsOnlyTheWidthsAskedFor) {
  const Space space = must_make(Problem::mm(DType::kF32, 33, 65, 17), kAvx2Only);
  EXPECT_THAT(all_configs(space), Each(Field(&GemmConfig::isa, IsaId::kAvx2)));
}

TEST(GemmSpace, HoldsEveryWidthAskedFor) {
  const auto configs = all_configs(must_make(Problem::mm(DType::kF32, 33, 65, 17)));
  for (const IsaId isa : all_isas()) EXPECT_THAT(configs, Contains(Field(&GemmConfig::isa, isa)));
}

TEST(GemmSpace, HoldsBothFamiliesForEveryTranspose) {
  for (const int transposes : {0, 1, 2, 3}) {
    const Problem problem = Problem::mm(DType::kF32, 33, 65, 17, transposes & 1, transposes & 2);
    const auto configs = all_configs(must_make(problem));
    EXPECT_THAT(configs, Contains(Field(&GemmConfig::family, Family::kOuter)));
    EXPECT_THAT(configs, Contains(Field(&GemmConfig::family, Family::kDot)));
  }
}

TEST(GemmSpace, EveryValueOfEveryParameterIsLegalSomewhere) {
  // None of the values offered for this problem, whose rows end inside a vector, is there in vain:
  // but for ways to share it out, since it has one thread, and stores past the caches, since its c
  // is small.
  const Space space = must_make(Problem::mm(DType::kF32, 50, 227, 80));
  std::set<std::pair<std::string, int32_t>> unused;
  for (const Parameter& parameter : space.parameters()) {
    for (const int32_t value : parameter.values) unused.emplace(parameter.name, value);
  }
  space.for_each([&](const Config& config) {
    for (size_t i = 0; i < config.size(); ++i)
      unused.erase({space.parameters()[i].name, config[i]});
    return unused.size() > 3;
  });
  EXPECT_THAT(unused, ElementsAre(Pair("split", 1), Pair("split", 2), Pair("stores", 1)));
}

TEST(GemmSpace, ReducesAProductOfVectorsToTheirFamily) {
  EXPECT_THAT(all_configs(must_make(Problem::mm(DType::kF32, 1, 1, 512))),
              Contains(Field(&GemmConfig::family, Family::kDot)));
  EXPECT_THAT(all_configs(must_make(Problem::mm(DType::kF32, 1, 512, 512))),
              Contains(Field(&GemmConfig::family, Family::kOuter)));
  EXPECT_THAT(all_configs(must_make(Problem::mm(DType::kF32, 512, 1, 512))),
              Contains(Field(&GemmConfig::family, Family::kDot)));
  EXPECT_THAT(all_configs(must_make(Problem::mm(DType::kF32, 512, 512, 1))),
              Contains(Field(&GemmConfig::family, Family::kOuter)));
}

TEST(GemmSpace, TilesAreNoTallerThanTheMatrix) {
  EXPECT_THAT(all_configs(must_make(Problem::mm(DType::kF32, 3, 65, 17))),
              Each(Field(&GemmConfig::mr, Le(3))));
}

TEST(GemmSpace, StreamsOnlyIntoAlignedMemory) {
  Problem problem = Problem::mm(DType::kF32, 65536, 32, 1);
  EXPECT_THAT(all_configs(must_make(problem)),
              Contains(Field(&GemmConfig::stores, StoreKind::kStreaming)));
  problem.alignment_bytes = 16;
  EXPECT_THAT(all_configs(must_make(problem)),
              Each(Field(&GemmConfig::stores, StoreKind::kNormal)));
}

TEST(GemmSpace, StreamsOnlyWhatIsWrittenOnce) {
  Problem problem = Problem::mm(DType::kF32, 65536, 32, 1);
  problem.beta = ScalarClass::kOne;
  EXPECT_THAT(all_configs(must_make(problem)),
              Each(Field(&GemmConfig::stores, StoreKind::kNormal)));
}

TEST(GemmSpace, UsesNoMoreThreadsThanTheCallMay) {
  Problem problem = Problem::mm(DType::kF32, 33, 65, 17);
  problem.threads = 2;
  const auto configs = all_configs(must_make(problem, kAvx2Only, 8));
  EXPECT_THAT(configs, Each(Field(&GemmConfig::threads, Le(2))));
  EXPECT_THAT(configs, Contains(Field(&GemmConfig::threads, 2)));
}

TEST(GemmSpace, UsesNoMoreThreadsThanThereAreCores) {
  Problem problem = Problem::mm(DType::kF32, 33, 65, 17);
  problem.threads = 8;
  const auto configs = all_configs(must_make(problem, kAvx2Only, 3));
  EXPECT_THAT(configs, Each(Field(&GemmConfig::threads, Le(3))));
  EXPECT_THAT(configs, Contains(Field(&GemmConfig::threads, 3)));
}

TEST(GemmSpace, SharesOutEveryDimension) {
  Problem problem = Problem::mm(DType::kF32, 33, 65, 17);
  problem.threads = 2;
  const auto configs = all_configs(must_make(problem, kAvx2Only, 2));
  for (const ThreadSplit split : {ThreadSplit::kRows, ThreadSplit::kColumns, ThreadSplit::kDepth}) {
    EXPECT_THAT(configs, Contains(Field(&GemmConfig::split, split)));
  }
}

TEST(GemmSpace, OneThreadSharesNothingOut) {
  const auto configs = all_configs(must_make(Problem::mm(DType::kF32, 33, 65, 17), kAvx2Only, 8));
  EXPECT_THAT(configs, Each(Field(&GemmConfig::threads, 1)));
  EXPECT_THAT(configs, Each(Field(&GemmConfig::split, ThreadSplit::kRows)));
}

TEST(GemmSpace, HugeLeadingDimensionsLeaveAConfigThatCompiles) {
  for (const int transposes : {0, 1, 2, 3}) {
    Problem problem = Problem::mm(DType::kF64, 100, 100, 100, transposes & 1, transposes & 2);
    problem.lda = problem.ldb = problem.ldc = int64_t{1} << 35;
    const Space space = must_make(problem);
    const std::vector<Config> configs = space.enumerate(50);
    ASSERT_THAT(configs, Not(IsEmpty())) << to_string(problem);
    for (const Config& config : configs) {
      KernelCache kernels;
      const auto program = GemmProgram::build(problem, to_gemm_config(config), kernels);
      EXPECT_TRUE(program.ok()) << to_string(problem) << "\n" << space.to_string(config);
    }
  }
}

TEST(GemmSpace, RefusesTypesTheKernelsDoNotKnow) {
  for (const DType dtype : {DType::kF16, DType::kBF16, DType::kTF32, DType::kF8E4M3, DType::kI8}) {
    EXPECT_THAT(gemm_space(Problem::mm(dtype, 64, 64, 64), all_isas(), 1),
                FailsWith(StatusCode::kUnsupported, HasSubstr(std::string(to_string(dtype)))));
  }
}

TEST(GemmSpace, RefusesMixedTypes) {
  Problem problem = Problem::mm(DType::kF32, 64, 64, 64);
  problem.accumulator = DType::kF64;
  EXPECT_THAT(gemm_space(problem, all_isas(), 1), FailsWith(StatusCode::kUnsupported, _));
}

TEST(GemmSpace, RefusesEpilogues) {
  Problem problem = Problem::mm(DType::kF32, 64, 64, 64);
  problem.op = Op::kAddmm;
  problem.epilogue = Epilogue::kBiasRelu;
  EXPECT_THAT(gemm_space(problem, all_isas(), 1),
              FailsWith(StatusCode::kUnsupported, HasSubstr("epilogue")));
}

TEST(GemmSpace, RefusesAProcessorWithoutAnyOfTheWidths) {
  EXPECT_THAT(gemm_space(Problem::mm(DType::kF32, 64, 64, 64), {}, 1),
              FailsWith(StatusCode::kUnsupported, HasSubstr("AVX2")));
}

TEST(GemmSpace, RefusesAnEmptyProduct) {
  EXPECT_THAT(gemm_space(Problem::mm(DType::kF32, 64, 64, 0), all_isas(), 1),
              FailsWith(StatusCode::kUnsupported, HasSubstr("empty")));
}

TEST(GemmSpace, RefusesAProblemThatMakesNoSense) {
  Problem problem = Problem::mm(DType::kF32, 64, 64, 64);
  problem.lda = 63;
  EXPECT_THAT(gemm_space(problem, all_isas(), 1), FailsWith(StatusCode::kInvalidArgument, _));
}

TEST(PromisingConfigs, AreLegalAndDistinctForEveryShape) {
  for (const auto& [m, n, k] : kShapes) {
    for (const int transposes : {0, 1, 2, 3}) {
      const Problem problem = Problem::mm(DType::kF32, m, n, k, transposes & 1, transposes & 2);
      const Space space = must_make(problem);
      std::vector<Config> configs = promising_configs(space, problem);
      EXPECT_THAT(configs, Not(IsEmpty())) << to_string(problem);
      for (const Config& config : configs) EXPECT_EQ(space.why_illegal(config), std::nullopt);
      std::ranges::sort(configs);
      EXPECT_EQ(std::ranges::adjacent_find(configs), configs.end()) << to_string(problem);
    }
  }
}

TEST(PromisingConfigs, AreLegalForRandomProblems) {
  Random random(1);
  for (int i = 0; i < 200; ++i) {
    Problem problem = Problem::mm(i % 2 == 0 ? DType::kF32 : DType::kF64, draw_size(random),
                                  draw_size(random), draw_size(random), i & 2, i & 4);
    draw_leading_dimensions(problem, random);
    if (i % 5 == 0) draw_batch(problem, random);
    const Space space = must_make(problem);
    const std::vector<Config> configs = promising_configs(space, problem);
    EXPECT_THAT(configs, Not(IsEmpty())) << to_string(problem);
    for (const Config& config : configs) ASSERT_EQ(space.why_illegal(config), std::nullopt);
  }
}

}  // namespace
}  // namespace triode::x86
