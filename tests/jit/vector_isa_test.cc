// SPDX-License-Identifier: Apache-2.0
#include "jit/x86/vector_isa.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace triode::x86 {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(VectorIsa, DescribesAvx2) {
  const VectorIsa& isa = describe(IsaId::kAvx2);
  EXPECT_EQ(isa.vector_bytes, 32);
  EXPECT_EQ(isa.register_count, 16);
  EXPECT_FALSE(isa.has_opmask);
}

TEST(VectorIsa, DescribesAvx512) {
  const VectorIsa& isa = describe(IsaId::kAvx512);
  EXPECT_EQ(isa.vector_bytes, 64);
  EXPECT_EQ(isa.register_count, 32);
  EXPECT_TRUE(isa.has_opmask);
}

TEST(VectorIsa, DescribesAvx512OnShortVectors) {
  const VectorIsa& isa = describe(IsaId::kAvx512Ymm);
  EXPECT_EQ(isa.vector_bytes, 32);
  EXPECT_EQ(isa.register_count, 32);
  EXPECT_TRUE(isa.has_opmask);
}

TEST(VectorIsa, LanesFollowTheElementSize) {
  EXPECT_EQ(describe(IsaId::kAvx2).lanes(4), 8);
  EXPECT_EQ(describe(IsaId::kAvx2).lanes(8), 4);
  EXPECT_EQ(describe(IsaId::kAvx512).lanes(4), 16);
  EXPECT_EQ(describe(IsaId::kAvx512).lanes(8), 8);
}

TEST(VectorIsa, ListsEveryWidthInOrder) {
  EXPECT_THAT(all_isas(), ElementsAre(IsaId::kAvx2, IsaId::kAvx512, IsaId::kAvx512Ymm));
}

TEST(VectorIsa, RunsAvx2WhereTheProcessorHasItAndFma) {
  const bool expected = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const auto isas = runnable_isas();
  EXPECT_EQ(std::ranges::find(isas, IsaId::kAvx2) != isas.end(), expected);
}

TEST(VectorIsa, RunsBothWidthsOfAvx512WhereTheProcessorHasIt) {
  const bool expected = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                        __builtin_cpu_supports("avx512vl");
  const auto isas = runnable_isas();
  EXPECT_EQ(std::ranges::find(isas, IsaId::kAvx512) != isas.end(), expected);
  EXPECT_EQ(std::ranges::find(isas, IsaId::kAvx512Ymm) != isas.end(), expected);
}

TEST(VectorIsa, RunnableWidthsComeInOrder) {
  EXPECT_TRUE(std::ranges::is_sorted(runnable_isas()));
}

TEST(VectorIsa, ParsesTheNameOfEachWidth) {
  for (const IsaId isa : all_isas()) {
    const Result<IsaId> parsed = parse_isa(describe(isa).name);
    ASSERT_TRUE(parsed.ok()) << parsed.status().to_string();
    EXPECT_EQ(*parsed, isa);
  }
  EXPECT_EQ(describe(IsaId::kAvx512Ymm).name, "avx512-ymm");
}

TEST(VectorIsa, RefusesAnUnknownNameAndSaysWhatIsKnown) {
  const Result<IsaId> parsed = parse_isa("avx9000");
  ASSERT_FALSE(parsed.ok());
  EXPECT_EQ(parsed.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(parsed.status().message(), HasSubstr("avx9000"));
  EXPECT_THAT(parsed.status().message(), HasSubstr("avx512-ymm"));
}

}  // namespace
}  // namespace triode::x86
