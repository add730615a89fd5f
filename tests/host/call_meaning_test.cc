// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/call_meaning.h"

#include <gtest/gtest.h>

namespace triode::host {
namespace {

constexpr int32_t kRow = 101, kColumn = 102, kN = 111, kT = 112;

CallKey gemm_key(Symbol symbol, uint64_t spelling) {
  return {.m = 5,
          .n = 7,
          .k = 3,
          .lda = 16,
          .ldb = 17,
          .ldc = 18,
          .traits = spelling | call_traits::of_site(symbol, 1) | call_traits::of_scalars(1.0, 0.0) |
                    uint64_t{2} << call_traits::kThreads};
}

CallKey row_major_key() {
  return gemm_key(Symbol::k_cblas_sgemm, call_traits::of_spelling({kRow, kN, kT}));
}

TEST(CallMeaning, OfARowMajorCallIsTheCallItself) {
  const CallMeaning meaning = meaning_of(row_major_key());
  ASSERT_EQ(meaning.understanding, Understanding::kProblem);
  EXPECT_FALSE(meaning.operands_exchanged);
  EXPECT_EQ(to_string(meaning.problem), "mm f32 5x7x3 nt ld=16,17,18 align=4 threads=2");
}

TEST(CallMeaning, OfAColumnMajorCallExchangesTheOperands) {
  const CallMeaning meaning =
      meaning_of(gemm_key(Symbol::k_cblas_dgemm, call_traits::of_spelling({kColumn, kN, kT})));
  ASSERT_EQ(meaning.understanding, Understanding::kProblem);
  EXPECT_TRUE(meaning.operands_exchanged);
  EXPECT_EQ(to_string(meaning.problem), "mm f64 7x5x3 tn ld=17,16,18 align=8 threads=2");
}

TEST(CallMeaning, OfFortranIsColumnMajorAndSpeltInLetters) {
  const CallMeaning meaning =
      meaning_of(gemm_key(Symbol::k_dgemm_, call_traits::of_spelling({0, 'n', 'C'})));
  ASSERT_EQ(meaning.understanding, Understanding::kProblem);
  EXPECT_EQ(to_string(meaning.problem), "mm f64 7x5x3 tn ld=17,16,18 align=8 threads=2");
}

TEST(CallMeaning, OfARowMajorGemvIsAProductWithOneColumn) {
  CallKey key = gemm_key(Symbol::k_cblas_sgemv, call_traits::of_spelling({kRow, kN, 0}));
  key.k = 0;
  const CallMeaning meaning = meaning_of(key);
  ASSERT_EQ(meaning.understanding, Understanding::kProblem);
  EXPECT_FALSE(meaning.operands_exchanged);
  EXPECT_EQ(to_string(meaning.problem), "mm f32 5x1x7 nn ld=16,17,18 align=4 threads=2");
}

TEST(CallMeaning, OfAColumnMajorGemvReadsTheMatrixTransposed) {
  CallKey key = gemm_key(Symbol::k_sgemv_, call_traits::of_spelling({0, 'T', 0}));
  key.k = 0;
  const CallMeaning meaning = meaning_of(key);
  ASSERT_EQ(meaning.understanding, Understanding::kProblem);
  EXPECT_EQ(to_string(meaning.problem), "mm f32 7x1x5 nn ld=16,17,18 align=4 threads=2");
}

TEST(CallMeaning, KeepsTheStridesOfABatch) {
  CallKey key =
      gemm_key(Symbol::k_cblas_sgemm_batch_strided, call_traits::of_spelling({kRow, kN, kN}));
  key.batch = 4;
  key.a_stride = 100;
  key.b_stride = 0;
  key.c_stride = 300;
  const CallMeaning meaning = meaning_of(key);
  ASSERT_EQ(meaning.understanding, Understanding::kProblem);
  EXPECT_EQ(meaning.problem.op, Op::kBmm);
  EXPECT_EQ(meaning.problem.batch, 4);
  EXPECT_EQ(meaning.problem.a_batch_stride, 100);
  EXPECT_EQ(meaning.problem.b_batch_stride, 0);
  EXPECT_EQ(meaning.problem.c_batch_stride, 300);
}

TEST(CallMeaning, KnowsTheClassesOfScalarsAndPointers) {
  CallKey key = row_major_key();
  key.traits |= uint64_t{1} << call_traits::kAligned;
  key.traits ^= call_traits::of_scalars(1.0, 0.0) ^ call_traits::of_scalars(0.5, 1.0);
  const Problem problem = meaning_of(key).problem;
  EXPECT_EQ(problem.alpha, ScalarClass::kOther);
  EXPECT_EQ(problem.beta, ScalarClass::kOne);
  EXPECT_EQ(problem.alignment_bytes, 64);
}

TEST(CallMeaning, OfASizeOfZeroIsEmpty) {
  CallKey key = row_major_key();
  key.k = 0;
  EXPECT_EQ(meaning_of(key).understanding, Understanding::kEmpty);
}

struct WrongCall {
  const char* name;
  void (*spoil)(CallKey& key);
};

class WrongCalls : public testing::TestWithParam<WrongCall> {};

TEST_P(WrongCalls, AreNotUnderstood) {
  CallKey key = row_major_key();
  GetParam().spoil(key);
  EXPECT_EQ(meaning_of(key).understanding, Understanding::kInvalid);
}

INSTANTIATE_TEST_SUITE_P(
    Each, WrongCalls,
    testing::Values(WrongCall{"NegativeSize", [](CallKey& key) { key.m = -1; }},
                    WrongCall{"ShortA", [](CallKey& key) { key.lda = 2; }},
                    WrongCall{"ShortB", [](CallKey& key) { key.ldb = 2; }},
                    WrongCall{"ShortC", [](CallKey& key) { key.ldc = 6; }},
                    WrongCall{"NegativeStep", [](CallKey& key) { key.ldb = -17; }},
                    WrongCall{"HugeStep", [](CallKey& key) { key.lda = int64_t{1} << 60; }},
                    WrongCall{"HugeSize", [](CallKey& key) { key.m = int64_t{1} << 62; }},
                    WrongCall{"NegativeBatch", [](CallKey& key) { key.batch = -2; }},
                    WrongCall{"UnknownLayout", [](CallKey& key) { key.traits ^= 1 << 5; }},
                    WrongCall{"UnknownTranspose", [](CallKey& key) { key.traits ^= 1 << 13; }}),
    [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace triode::host
