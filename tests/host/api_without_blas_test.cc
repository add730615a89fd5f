// SPDX-License-Identifier: Apache-2.0
// The C interface in a program that links no BLAS.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <triode/triode.h>

#include <thread>
#include <vector>

#include "tests/host/api_use.h"
#include "tests/host/fresh_process.h"
#include "tests/host/small_product.h"

namespace triode {
namespace {

template <typename T>
void expect_right_product(const triode_gemm_call& shape) {
  SmallProduct<T> by_gemm(shape), by_plan(shape);
  EXPECT_EQ(triode_gemm(&by_gemm.call), TRIODE_OK) << triode_last_error();
  EXPECT_TRUE(by_gemm.is_computed());
  triode_plan* plan = nullptr;
  ASSERT_EQ(triode_plan_create(&shape, &plan), TRIODE_OK) << triode_last_error();
  const triode_gemm_call& call = by_plan.call;
  EXPECT_EQ(triode_plan_run(plan, call.alpha, call.a, call.b, call.beta, call.c), TRIODE_OK);
  EXPECT_TRUE(by_plan.is_computed());
  triode_plan_destroy(plan);
}

template <typename T>
void expect_right_products() {
  for (const int32_t layout : {TRIODE_ROW_MAJOR, TRIODE_COLUMN_MAJOR}) {
    for (const int64_t batch : {1, 3}) {
      triode_gemm_call shape = SmallProduct<T>::usual_shape();
      shape.layout = layout;
      shape.transpose_b = TRIODE_TRANSPOSE;
      shape.alpha = 2;
      shape.beta = 1;
      shape.batch = batch;
      shape.a_stride = shape.b_stride = shape.c_stride = 64;
      expect_right_product<T>(shape);
    }
  }
}

TEST(ApiWithoutBlas, AnswersInEveryMode) {
  for (const int32_t mode : {TRIODE_MODE_OFF, TRIODE_MODE_OBSERVE, TRIODE_MODE_TUNE}) {
    in_fresh_process([=] {
      start(mode);
      expect_right_products<float>();
      expect_right_products<double>();
    });
  }
}

TEST(ApiWithoutBlas, AnswersAfterShutdown) {
  in_fresh_process([] {
    ASSERT_EQ(triode_shutdown(), TRIODE_OK);
    expect_right_products<float>();
  });
}

TEST(ApiWithoutBlas, TakesSizesBeyond32Bits) {
  in_fresh_process([] {
    start(TRIODE_MODE_OBSERVE);
    triode_gemm_call shape = SmallProduct<float>::usual_shape();
    shape.m = 1;  // so that no second row lies that far away
    shape.lda = (int64_t{1} << 31) + 8;
    expect_right_product<float>(shape);
  });
}

TEST(ApiWithoutBlas, ScalesCWithoutDepth) {
  in_fresh_process([] {
    start(TRIODE_MODE_OBSERVE);
    triode_gemm_call shape = SmallProduct<float>::usual_shape();
    shape.k = 0;
    shape.beta = 2;
    expect_right_product<float>(shape);
  });
}

TEST(ApiWithoutBlas, CountsCallsAsItsOwn) {
  in_fresh_process([] {
    start(TRIODE_MODE_OBSERVE);
    SmallProduct<float> product;
    for (int i = 0; i < 3; ++i) ASSERT_EQ(triode_gemm(&product.call), TRIODE_OK);
    const triode_plan_info info = query(product.call);
    EXPECT_EQ(info.answered_by, TRIODE_BY_TRIODE);
    EXPECT_EQ(info.triode_calls, 3u);
    EXPECT_GT(info.triode_ns, 0);
    EXPECT_STREQ(info.vendor, "none cblas_sgemm");
  });
}

TEST(ApiWithoutBlas, AnswersFirstCallsOnManyThreadsAtOnce) {
  in_fresh_process([] {
    start(TRIODE_MODE_OBSERVE);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back(expect_right_products<double>);
    for (std::thread& thread : threads) thread.join();
    const triode_statistics sums = statistics();
    EXPECT_EQ(sums.shapes, 4u);
    EXPECT_EQ(sums.triode_calls, 4u * 8);
  });
}

TEST(ApiWithoutBlas, OutlivesABlasThatIsClosed) {
  in_fresh_process([] {
    start(TRIODE_MODE_OBSERVE);
    void* const blas = dlopen(TRIODE_STAND_IN_BLAS, RTLD_NOW);
    ASSERT_NE(blas, nullptr) << dlerror();
    SmallProduct<float> open, closed;
    triode_plan* plan = nullptr;
    ASSERT_EQ(triode_plan_create(&open.call, &plan), TRIODE_OK) << triode_last_error();
    EXPECT_EQ(triode_plan_run(plan, 1, open.call.a, open.call.b, 0, open.call.c), TRIODE_OK);
    EXPECT_TRUE(open.is_computed());
    EXPECT_EQ(query(open.call).vendor_calls, 1u);
    dlclose(blas);
    ASSERT_EQ(dlopen(TRIODE_STAND_IN_BLAS, RTLD_NOW | RTLD_NOLOAD), nullptr) << "still there";
    EXPECT_EQ(triode_plan_run(plan, 1, closed.call.a, closed.call.b, 0, closed.call.c), TRIODE_OK);
    EXPECT_TRUE(closed.is_computed());
    EXPECT_EQ(query(closed.call).triode_calls, 1u);
    triode_plan_destroy(plan);
  });
}

TEST(ApiWithoutBlas, SaysWhoWouldAnswerBeforeTheStart) {
  EXPECT_EQ(query(SmallProduct<float>::usual_shape()).answered_by, TRIODE_BY_TRIODE);
}

}  // namespace
}  // namespace triode
