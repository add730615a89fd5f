// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/api_call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>

#include "core/random.h"
#include "runtime/host/call_meaning.h"
#include "tests/core/status_matchers.h"
#include "tests/host/small_product.h"

namespace triode::host {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kBeyondInt32 = int64_t{1} << 31;

triode_gemm_call usual_shape() {
  return SmallProduct<float>::usual_shape();
}

triode_gemm_call batch_shape() {
  triode_gemm_call shape = usual_shape();
  shape.batch = 3;
  shape.a_stride = shape.b_stride = shape.c_stride = 64;
  return shape;
}

CallSite site_of(Symbol symbol) {
  return {nullptr, symbol, nullptr, nullptr, call_traits::of_site(symbol, 1), nullptr};
}

RawCall raw_of(const triode_gemm_call& call) {
  const CallSite site = site_of(symbol_of(call));
  return raw_call(call, site);
}

TEST(ApiCall, IsTheFunctionOfItsTypeAndBatch) {
  triode_gemm_call shape = usual_shape();
  EXPECT_EQ(symbol_of(shape), Symbol::k_cblas_sgemm);
  shape.dtype = TRIODE_F64;
  EXPECT_EQ(symbol_of(shape), Symbol::k_cblas_dgemm);
  shape = batch_shape();
  EXPECT_EQ(symbol_of(shape), Symbol::k_cblas_sgemm_batch_strided);
  shape.dtype = TRIODE_F64;
  EXPECT_EQ(symbol_of(shape), Symbol::k_cblas_dgemm_batch_strided);
}

TEST(ApiCall, IsTheFunctionWithWideSizesWhereOneNeedsThem) {
  triode_gemm_call shape = usual_shape();
  shape.lda = kBeyondInt32 - 1;
  EXPECT_EQ(symbol_of(shape), Symbol::k_cblas_sgemm);
  shape.lda = kBeyondInt32;
  EXPECT_EQ(symbol_of(shape), Symbol::k_cblas_sgemm64_);
  shape.dtype = TRIODE_F64;
  EXPECT_EQ(symbol_of(shape), Symbol::k_cblas_dgemm64_);
  shape = batch_shape();
  shape.c_stride = kBeyondInt32;
  EXPECT_EQ(symbol_of(shape), Symbol::k_cblas_sgemm_batch_strided64_);
  shape.dtype = TRIODE_F64;
  EXPECT_EQ(symbol_of(shape), Symbol::k_cblas_dgemm_batch_strided64_);
}

TEST(ApiCall, LeavesStridesOutWithoutABatch) {
  triode_gemm_call shape = batch_shape();
  shape.batch = 1;
  shape.a_stride = kBeyondInt32;
  EXPECT_EQ(symbol_of(shape), Symbol::k_cblas_sgemm);
  EXPECT_EQ(sizes_of(shape), sizes_of(usual_shape()));
}

TEST(ApiCall, RoundsScalarsBeforeTheyAreClassified) {
  triode_gemm_call call = usual_shape();
  call.alpha = 1 + 1e-12;
  call.beta = 1e-60;
  const RawCall as_float = raw_of(call);
  EXPECT_EQ(as_float.alpha, 1);
  EXPECT_TRUE(call_traits::alpha_is_one(as_float.key.traits));
  EXPECT_EQ(call_traits::beta(as_float.key.traits), BetaKind::kZero);
  call.dtype = TRIODE_F64;
  const RawCall as_double = raw_of(call);
  EXPECT_FALSE(call_traits::alpha_is_one(as_double.key.traits));
  EXPECT_EQ(call_traits::beta(as_double.key.traits), BetaKind::kOther);
}

// A stored line is a row of a row-major matrix and a column of another.
TEST(ApiCall, WantsLeadingDimensionsOfStoredLines) {
  triode_gemm_call shape = usual_shape();  // 3 x 4 x 5
  shape.lda = 4;
  EXPECT_THAT(check_shape(&shape, "call"),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("lda is 4; expected 5")));
  shape.transpose_a = TRIODE_TRANSPOSE;
  EXPECT_TRUE(check_shape(&shape, "call").ok());
  shape.layout = TRIODE_COLUMN_MAJOR;
  EXPECT_THAT(check_shape(&shape, "call"),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("lda is 4; expected 5")));
}

TEST(ApiCall, NeedsNoPointersThatAreNotRead) {
  triode_gemm_call call = usual_shape();
  float c = 0;
  call.c = &c;
  call.alpha = 0;
  EXPECT_TRUE(check_pointers(call).ok());
  call.alpha = 1;
  call.k = 0;
  EXPECT_TRUE(check_pointers(call).ok());
  call.n = 0;
  call.c = nullptr;
  EXPECT_TRUE(check_pointers(call).ok());
}

// What passes the checks here must not be refused further on, where nobody would hear of it.
TEST(ApiCall, IsUnderstoodIfItPassesTheChecks) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  constexpr std::array<int64_t, 16> kSizes = {0,
                                              1,
                                              2,
                                              3,
                                              8,
                                              8,
                                              8,
                                              1000,
                                              1000,
                                              1000,
                                              -1,
                                              kBeyondInt32,
                                              kLongestStride,
                                              kLongestStride + 1,
                                              kMost / 8,
                                              kMost};
  Random random(1);
  const auto any_size = [&] { return kSizes[random.below(kSizes.size())]; };
  int passed = 0;
  for (int i = 0; i < 200'000; ++i) {
    triode_gemm_call shape = usual_shape();
    shape.layout = random.below(2) == 0 ? TRIODE_ROW_MAJOR : TRIODE_COLUMN_MAJOR;
    shape.transpose_a = TRIODE_NO_TRANSPOSE + static_cast<int32_t>(random.below(3));
    for (int64_t* const size : {&shape.m, &shape.n, &shape.k, &shape.lda, &shape.ldb, &shape.ldc,
                                &shape.batch, &shape.a_stride, &shape.b_stride, &shape.c_stride}) {
      *size = any_size();
    }
    if (!check_shape(&shape, "call").ok()) continue;
    ++passed;
    RawCall raw = raw_of(shape);
    raw.key.traits |= uint64_t{1} << call_traits::kThreads;
    ASSERT_NE(meaning_of(raw.key).understanding, Understanding::kInvalid)
        << shape.m << ' ' << shape.n << ' ' << shape.k << ' ' << shape.lda << ' ' << shape.ldb
        << ' ' << shape.ldc << ' ' << shape.batch << ' ' << shape.c_stride;
  }
  EXPECT_GT(passed, 1000);
}

}  // namespace
}  // namespace triode::host
