// SPDX-License-Identifier: Apache-2.0
// triode_gemm() in a program with a BLAS: the stand-in, which counts its calls.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <triode/triode.h>

#include <vector>

#include "tests/host/api_use.h"
#include "tests/host/fresh_process.h"
#include "tests/host/small_product.h"

extern "C" {
long stand_in_calls();
void cblas_sgemm(int layout, int ta, int tb, int m, int n, int k, float alpha, const float* a,
                 int lda, const float* b, int ldb, float beta, float* c, int ldc);
}

namespace triode {
namespace {

using ::testing::HasSubstr;

template <typename T>
std::vector<triode_gemm_call> many_shapes() {
  std::vector<triode_gemm_call> shapes;
  for (int i = 0; i < 48; ++i) {
    triode_gemm_call shape = SmallProduct<T>::usual_shape();
    shape.layout = i % 2 == 0 ? TRIODE_ROW_MAJOR : TRIODE_COLUMN_MAJOR;
    shape.transpose_a = i / 2 % 2 == 0 ? TRIODE_NO_TRANSPOSE : TRIODE_TRANSPOSE;
    shape.transpose_b = i / 4 % 2 == 0 ? TRIODE_NO_TRANSPOSE : TRIODE_CONJUGATE_TRANSPOSE;
    shape.alpha = i / 8 % 3 == 0 ? 1 : 2;
    shape.beta = i / 8 % 3 - 1;
    shape.batch = i / 24 == 0 ? 1 : 3;
    shape.a_stride = shape.c_stride = 64;  // and one b for all of a batch
    shapes.push_back(shape);
  }
  return shapes;
}

template <typename T>
void expect_right_products() {
  for (const triode_gemm_call& shape : many_shapes<T>()) {
    SmallProduct<T> by_gemm(shape), by_plan(shape);
    EXPECT_EQ(triode_gemm(&by_gemm.call), TRIODE_OK) << triode_last_error();
    EXPECT_TRUE(by_gemm.is_computed());
    triode_plan* const plan = make_plan(without_pointers(shape));
    EXPECT_EQ(run(plan, by_plan.call), TRIODE_OK) << triode_last_error();
    EXPECT_TRUE(by_plan.is_computed());
    EXPECT_EQ(triode_plan_destroy(plan), TRIODE_OK);
  }
}
TEST(ApiGemm, IsAnsweredByTheVendorWhenOff) {
  in_fresh_process([] {
    start(TRIODE_MODE_OFF);
    expect_right_products<float>();
    expect_right_products<double>();
    EXPECT_EQ(stand_in_calls(), 2 * 2 * 48);
    EXPECT_EQ(statistics().calls, 0u);
  });
}

TEST(ApiGemm, IsAnsweredByTheVendorUntilThereIsAPlan) {
  in_fresh_process([] {
    start_observing();
    expect_right_products<float>();
    expect_right_products<double>();
    EXPECT_EQ(stand_in_calls(), 2 * 2 * 48);
    EXPECT_EQ(statistics().calls, 2u * 2 * 48);
    EXPECT_EQ(statistics().triode_calls, 0u);
  });
}

TEST(ApiGemm, IsAnsweredByAPlan) {
  in_fresh_process([] {
    start_answering();
    expect_right_products<float>();
    expect_right_products<double>();
    EXPECT_EQ(stand_in_calls(), 0);
    EXPECT_EQ(statistics().triode_calls, 2u * 2 * 48);
  });
}

TEST(ApiGemm, StaysRightWhenRepeated) {
  in_fresh_process([] {
    start_answering();
    for (int i = 0; i < 200; ++i) {
      SmallProduct<float> floats;
      SmallProduct<double> doubles;
      ASSERT_EQ(triode_gemm(&floats.call), TRIODE_OK);
      ASSERT_EQ(triode_gemm(&doubles.call), TRIODE_OK);
      ASSERT_TRUE(floats.is_computed() && doubles.is_computed());
    }
    EXPECT_EQ(stand_in_calls(), 0);
    EXPECT_EQ(statistics().triode_calls, 400u);
  });
}

// A repeated call goes a shorter way, on which a wrong one must not be taken for it.
TEST(ApiGemm, RefusesAWrongCallAmongRepeatedOnes) {
  in_fresh_process([] {
    start_answering();
    SmallProduct<float> wrong;
    for (int i = 0; i < 200; ++i) {
      SmallProduct<float> product;
      triode_gemm_call call = i == 150 ? wrong.call : product.call;
      if (i == 150) call.a = nullptr;
      ASSERT_EQ(triode_gemm(&call), i == 150 ? TRIODE_INVALID_ARGUMENT : TRIODE_OK);
    }
    EXPECT_TRUE(wrong.is_untouched());
  });
}

TEST(ApiGemm, SharesItsPlansWithInterceptedCalls) {
  in_fresh_process([] {
    start_observing();
    SmallProduct<float> product;
    const triode_gemm_call& x = product.call;
    cblas_sgemm(x.layout, x.transpose_a, x.transpose_b, 3, 4, 5, 1, static_cast<const float*>(x.a),
                8, static_cast<const float*>(x.b), 8, 0, static_cast<float*>(x.c), 8);
    ASSERT_EQ(triode_gemm(&x), TRIODE_OK);
    EXPECT_EQ(statistics().shapes, 1u);
    EXPECT_EQ(query(x).vendor_calls, 2u);
  });
}

TEST(ApiGemm, TakesSizesBeyond32Bits) {
  in_fresh_process([] {
    start_answering();
    SmallProduct<float> product;
    product.call.m = 1;  // so that no second row lies that far away
    product.call.lda = (int64_t{1} << 31) + 8;
    EXPECT_EQ(triode_gemm(&product.call), TRIODE_OK) << triode_last_error();
    EXPECT_TRUE(product.is_computed());
  });
}

TEST(ApiGemm, LeavesCWithNothingToMultiply) {
  in_fresh_process([] {
    start_answering();
    SmallProduct<float> product;
    product.call.m = 0;
    EXPECT_EQ(triode_gemm(&product.call), TRIODE_OK) << triode_last_error();
    EXPECT_TRUE(product.is_untouched());
    EXPECT_EQ(statistics().empty_calls, 1u);
  });
}

TEST(ApiGemm, ScalesCWithoutDepth) {
  in_fresh_process([] {
    start_answering();
    SmallProduct<double> product;
    product.call.k = 0;
    product.call.beta = 3;
    product.call.a = product.call.b = nullptr;
    EXPECT_EQ(triode_gemm(&product.call), TRIODE_OK) << triode_last_error();
    EXPECT_TRUE(product.is_computed());
  });
}

}  // namespace
}  // namespace triode
