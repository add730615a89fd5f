// SPDX-License-Identifier: Apache-2.0
// Plan handles and questions about plans, in a program with a BLAS: the stand-in, which counts its
// calls.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <triode/triode.h>

#include "tests/host/api_use.h"
#include "tests/host/fresh_process.h"
#include "tests/host/small_product.h"

extern "C" {
long stand_in_calls();
void stand_in_set_threads(int count);
}

namespace triode {
namespace {

using ::testing::HasSubstr;

TEST(ApiPlan, GivesItsShapeAnEntryBeforeTheFirstCall) {
  in_fresh_process([] {
    start_answering();
    const SmallProduct<float> product;
    triode_plan* const plan = make_plan(product.call);
    EXPECT_EQ(query(product.call).answered_by, TRIODE_BY_TRIODE);
    EXPECT_EQ(statistics().calls, 0u);
    triode_plan_destroy(plan);
  });
}

TEST(ApiPlan, CountsItsCalls) {
  in_fresh_process([] {
    start_observing();
    SmallProduct<float> product;
    triode_plan* const plan = make_plan(product.call);
    for (int i = 0; i < 5; ++i) ASSERT_EQ(run(plan, product.call), TRIODE_OK);
    EXPECT_EQ(query(product.call).vendor_calls, 5u);
    EXPECT_EQ(stand_in_calls(), 5);
    triode_plan_destroy(plan);
  });
}

// The kernel for pointers at cache lines would fault, or be wrong, on others.
TEST(ApiPlan, TakesPointersOfAnotherAlignment) {
  in_fresh_process([] {
    start_answering();
    SmallProduct<float> at_lines(SmallProduct<float>::usual_shape(), 0);
    SmallProduct<float> elsewhere(SmallProduct<float>::usual_shape(), 1);
    triode_plan* const plan = make_plan(at_lines.call);
    EXPECT_EQ(run(plan, elsewhere.call), TRIODE_OK);
    EXPECT_EQ(run(plan, at_lines.call), TRIODE_OK);
    EXPECT_TRUE(elsewhere.is_computed());
    EXPECT_TRUE(at_lines.is_computed());
    EXPECT_EQ(query(elsewhere.call).triode_calls, 1u);
    EXPECT_EQ(query(at_lines.call).triode_calls, 1u);
    triode_plan_destroy(plan);
  });
}

TEST(ApiPlan, TakesOtherScalars) {
  in_fresh_process([] {
    start_answering();
    SmallProduct<double> product;
    triode_plan* const plan = make_plan(product.call);
    product.call.alpha = -2;
    product.call.beta = 1;
    EXPECT_EQ(run(plan, product.call), TRIODE_OK);
    EXPECT_TRUE(product.is_computed());
    EXPECT_EQ(query(product.call).triode_calls, 1u);
    triode_plan_destroy(plan);
  });
}

TEST(ApiPlan, FollowsTheVendorsThreads) {
  in_fresh_process([] {
    start_observing();
    SmallProduct<float> product;
    triode_plan* const plan = make_plan(product.call);
    ASSERT_EQ(run(plan, product.call), TRIODE_OK);
    stand_in_set_threads(2);
    EXPECT_EQ(query(product.call).vendor_calls, 0u);
    ASSERT_EQ(run(plan, product.call), TRIODE_OK);
    ASSERT_EQ(run(plan, product.call), TRIODE_OK);
    EXPECT_EQ(query(product.call).vendor_calls, 2u);
    stand_in_set_threads(1);
    EXPECT_EQ(query(product.call).vendor_calls, 1u);
    triode_plan_destroy(plan);
  });
}

TEST(ApiPlan, MayHaveNothingToMultiply) {
  in_fresh_process([] {
    start_answering();
    SmallProduct<float> product;
    product.call.n = 0;
    triode_plan* const plan = make_plan(product.call);
    EXPECT_EQ(run(plan, product.call), TRIODE_OK);
    EXPECT_TRUE(product.is_untouched());
    EXPECT_EQ(statistics().empty_calls, 1u);
    triode_plan_destroy(plan);
  });
}

// The last one finds no place. It must not count as a call, which its thread would never leave.
TEST(ApiPlan, MayBeOneTooManyToBeListed) {
  in_fresh_process([] {
    start_observing();
    constexpr int64_t kMoreThanAreListed = 20'000;
    for (int64_t m = 1; m <= kMoreThanAreListed; ++m) {
      triode_gemm_call shape = SmallProduct<float>::usual_shape();
      shape.m = m;
      triode_plan_destroy(make_plan(shape));
    }
    EXPECT_EQ(statistics().unlisted_calls, 0u);
    SmallProduct<float> product;
    EXPECT_EQ(triode_gemm(&product.call), TRIODE_OK);
    EXPECT_EQ(statistics().calls + statistics().unlisted_calls, 1u);
  });
}

TEST(ApiPlan, RunsAfterShutdown) {
  in_fresh_process([] {
    start_answering();
    SmallProduct<float> product;
    triode_plan* const plan = make_plan(product.call);
    ASSERT_EQ(triode_shutdown(), TRIODE_OK);
    EXPECT_EQ(run(plan, product.call), TRIODE_OK);
    EXPECT_TRUE(product.is_computed());
    EXPECT_EQ(stand_in_calls(), 1);
    triode_plan_destroy(plan);
  });
}

TEST(ApiQuery, KnowsNothingOfACallThatWasNotMade) {
  in_fresh_process([] {
    const triode_plan_info info = query(SmallProduct<float>::usual_shape());
    EXPECT_EQ(info.answered_by, TRIODE_BY_VENDOR);
    EXPECT_EQ(info.state, TRIODE_PLAN_UNDECIDED);
    EXPECT_EQ(info.vendor_calls + info.triode_calls, 0u);
    EXPECT_STREQ(info.config, "");
    EXPECT_EQ(triode_init(nullptr), TRIODE_OK) << "a question has started something";
  });
}

TEST(ApiQuery, NamesTheVendorAndItsTime) {
  in_fresh_process([] {
    start_observing();
    SmallProduct<float> product;
    ASSERT_EQ(triode_gemm(&product.call), TRIODE_OK);
    const triode_plan_info info = query(product.call);
    EXPECT_EQ(info.answered_by, TRIODE_BY_VENDOR);
    EXPECT_EQ(info.vendor_calls, 1u);
    EXPECT_GT(info.vendor_ns, 0);
    EXPECT_EQ(info.triode_ns, 0);
    EXPECT_EQ(info.speedup, 0);
    EXPECT_THAT(info.vendor, HasSubstr("stand_in_blas"));
    EXPECT_THAT(info.vendor, HasSubstr("cblas_sgemm"));
  });
}

TEST(ApiQuery, MeansTheMoreFrequentAlignmentWithoutPointers) {
  in_fresh_process([] {
    start_observing();
    SmallProduct<float> at_lines(SmallProduct<float>::usual_shape(), 0);
    SmallProduct<float> elsewhere(SmallProduct<float>::usual_shape(), 1);
    for (int i = 0; i < 3; ++i) ASSERT_EQ(triode_gemm(&at_lines.call), TRIODE_OK);
    EXPECT_EQ(query(SmallProduct<float>::usual_shape()).vendor_calls, 3u);
    for (int i = 0; i < 4; ++i) ASSERT_EQ(triode_gemm(&elsewhere.call), TRIODE_OK);
    EXPECT_EQ(query(SmallProduct<float>::usual_shape()).vendor_calls, 4u);
  });
}

}  // namespace
}  // namespace triode
