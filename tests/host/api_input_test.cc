// SPDX-License-Identifier: Apache-2.0
// Every wrong input of every function of the C interface: its code, its text, and that nothing was
// written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <triode/triode.h>

#include <cstring>
#include <string>
#include <thread>

#include "tests/host/fresh_process.h"
#include "tests/host/small_product.h"

namespace triode {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct WrongShape {
  const char* name;
  void (*spoil)(triode_gemm_call&);
  const char* text;
  triode_status code = TRIODE_INVALID_ARGUMENT;
};

// A batch, so that strides count.
triode_gemm_call batch_shape() {
  triode_gemm_call shape = SmallProduct<float>::usual_shape();
  shape.batch = 2;
  shape.a_stride = shape.b_stride = shape.c_stride = 64;
  return shape;
}

const WrongShape kWrongShapes[] = {
    {"SizeZero", [](triode_gemm_call& x) { x.size = 0; }, "->size is 0; set it to the sizeof"},
    {"SizeLess", [](triode_gemm_call& x) { x.size -= 8; }, "->size is 136"},
    {"SizeGarbage", [](triode_gemm_call& x) { x.size = SIZE_MAX; }, "->size is 184467"},
    {"NoType", [](triode_gemm_call& x) { x.dtype = 0; }, "dtype is 0; expected TRIODE_F32"},
    {"OtherType", [](triode_gemm_call& x) { x.dtype = 3; }, "dtype is 3; expected TRIODE_F32"},
    {"NoLayout", [](triode_gemm_call& x) { x.layout = 0; }, "layout is 0; expected TRIODE_ROW"},
    {"OtherLayout", [](triode_gemm_call& x) { x.layout = 103; }, "layout is 103"},
    {"NoTransposeA", [](triode_gemm_call& x) { x.transpose_a = 0; }, "transpose_a is 0; expected"},
    {"OtherTransposeB", [](triode_gemm_call& x) { x.transpose_b = 114; }, "transpose_b is 114"},
    {"NegativeM", [](triode_gemm_call& x) { x.m = -1; }, "m is -1; sizes are not negative"},
    {"NegativeN", [](triode_gemm_call& x) { x.n = INT64_MIN; }, "n is -9223372036854775808"},
    {"NegativeK", [](triode_gemm_call& x) { x.k = -7; }, "k is -7; sizes are not negative"},
    {"ShortLda", [](triode_gemm_call& x) { x.lda = 4; }, "lda is 4; expected 5"},
    {"ShortLdb", [](triode_gemm_call& x) { x.ldb = 3; }, "ldb is 3; expected 4"},
    {"ShortLdc", [](triode_gemm_call& x) { x.ldc = 0; }, "ldc is 0; expected 4"},
    {"LongLda", [](triode_gemm_call& x) { x.lda = INT64_MAX; }, "lda is 9223372036854775807"},
    {"NegativeLdb", [](triode_gemm_call& x) { x.ldb = -8; }, "ldb is -8; expected 4"},
    {"NoBatch", [](triode_gemm_call& x) { x.batch = 0; }, "batch is 0; expected at least 1"},
    {"NegativeBatch", [](triode_gemm_call& x) { x.batch = -2; }, "batch is -2; expected at least"},
    {"NegativeStrideA", [](triode_gemm_call& x) { x.a_stride = -1; }, "a_stride is -1; expected 0"},
    {"LongStrideB", [](triode_gemm_call& x) { x.b_stride = INT64_MAX; }, "b_stride is 92233"},
    {"NoStrideC", [](triode_gemm_call& x) { x.c_stride = 0; }, "c_stride is 0, so that all"},
    {"BeyondAddresses", [](triode_gemm_call& x) { x.batch = INT64_MAX; },
     "a spans more bytes than there are"},
    {"NeedsLdOfOne", [](triode_gemm_call& x) { x.k = 0, x.lda = 0; }, "lda is 0; expected 1"},
};

template <typename Wrong>
std::string name_of(const ::testing::TestParamInfo<Wrong>& wrong) {
  return wrong.param.name;
}

class WrongShapes : public ::testing::TestWithParam<WrongShape> {
 protected:
  WrongShapes() : product_(batch_shape()) { GetParam().spoil(product_.call); }

  SmallProduct<float> product_;
};
INSTANTIATE_TEST_SUITE_P(Api, WrongShapes, ::testing::ValuesIn(kWrongShapes), name_of<WrongShape>);

TEST_P(WrongShapes, AreRefusedByGemm) {
  EXPECT_EQ(triode_gemm(&product_.call), GetParam().code);
  EXPECT_THAT(triode_last_error(), AllOf(StartsWith("triode_gemm: "), HasSubstr(GetParam().text)));
  EXPECT_TRUE(product_.is_untouched());
}

TEST_P(WrongShapes, AreRefusedByPlanCreate) {
  triode_plan* plan = nullptr;
  EXPECT_EQ(triode_plan_create(&product_.call, &plan), GetParam().code);
  EXPECT_THAT(triode_last_error(),
              AllOf(StartsWith("triode_plan_create: "), HasSubstr(GetParam().text)));
  EXPECT_EQ(plan, nullptr);
}

TEST_P(WrongShapes, AreRefusedByPlanQuery) {
  triode_plan_info info{};
  info.size = sizeof info;
  EXPECT_EQ(triode_plan_query(&product_.call, &info), GetParam().code);
  EXPECT_THAT(triode_last_error(),
              AllOf(StartsWith("triode_plan_query: "), HasSubstr(GetParam().text)));
  EXPECT_EQ(info.answered_by, 0);
}

TEST(ApiInput, GemmWantsACall) {
  EXPECT_EQ(triode_gemm(nullptr), TRIODE_INVALID_ARGUMENT);
  EXPECT_STREQ(triode_last_error(), "triode_gemm: call is NULL");
}

TEST(ApiInput, GemmWantsPointersThatItNeeds) {
  SmallProduct<float> product;
  triode_gemm_call call = product.call;
  call.a = nullptr;
  EXPECT_EQ(triode_gemm(&call), TRIODE_INVALID_ARGUMENT);
  EXPECT_STREQ(triode_last_error(), "triode_gemm: a is NULL");
  call = product.call;
  call.b = nullptr;
  EXPECT_EQ(triode_gemm(&call), TRIODE_INVALID_ARGUMENT);
  EXPECT_STREQ(triode_last_error(), "triode_gemm: b is NULL");
  call = product.call;
  call.c = nullptr;
  EXPECT_EQ(triode_gemm(&call), TRIODE_INVALID_ARGUMENT);
  EXPECT_STREQ(triode_last_error(), "triode_gemm: c is NULL");
  EXPECT_TRUE(product.is_untouched());
}

TEST(ApiInput, GemmWantsPointersAtWholeElements) {
  SmallProduct<double> product;
  triode_gemm_call call = product.call;
  call.b = static_cast<const std::byte*>(call.b) + 4;
  EXPECT_EQ(triode_gemm(&call), TRIODE_INVALID_ARGUMENT);
  EXPECT_THAT(triode_last_error(), HasSubstr("b is not at a multiple of 8 bytes"));
  EXPECT_TRUE(product.is_untouched());
}

TEST(ApiInput, GemmRefusesWhatANewerHeaderAdds) {
  struct {
    triode_gemm_call known = SmallProduct<float>::usual_shape();
    int64_t added = 1;
  } call;
  call.known.size = sizeof call;
  EXPECT_EQ(triode_gemm(&call.known), TRIODE_UNSUPPORTED);
  EXPECT_THAT(triode_last_error(), HasSubstr("call was made for a newer Triode"));
}

TEST(ApiInput, PlanCreateWantsAShapeAndAPlaceForThePlan) {
  const triode_gemm_call shape = SmallProduct<float>::usual_shape();
  triode_plan* plan = nullptr;
  EXPECT_EQ(triode_plan_create(nullptr, &plan), TRIODE_INVALID_ARGUMENT);
  EXPECT_STREQ(triode_last_error(), "triode_plan_create: shape is NULL");
  EXPECT_EQ(triode_plan_create(&shape, nullptr), TRIODE_INVALID_ARGUMENT);
  EXPECT_STREQ(triode_last_error(), "triode_plan_create: plan is NULL");
}

TEST(ApiInput, PlanRunWantsAPlan) {
  SmallProduct<float> product;
  const triode_gemm_call& call = product.call;
  EXPECT_EQ(triode_plan_run(nullptr, 1, call.a, call.b, 0, call.c), TRIODE_INVALID_ARGUMENT);
  EXPECT_STREQ(triode_last_error(), "triode_plan_run: plan is NULL");
  EXPECT_TRUE(product.is_untouched());
}

TEST(ApiInput, PlanRunWantsItsPointers) {
  in_fresh_process([] {
    SmallProduct<float> product;
    const triode_gemm_call& call = product.call;
    triode_plan* plan = nullptr;
    ASSERT_EQ(triode_plan_create(&call, &plan), TRIODE_OK);
    EXPECT_EQ(triode_plan_run(plan, 1, nullptr, call.b, 0, call.c), TRIODE_INVALID_ARGUMENT);
    EXPECT_STREQ(triode_last_error(), "triode_plan_run: a is NULL");
    EXPECT_EQ(triode_plan_run(plan, 1, call.a, nullptr, 0, call.c), TRIODE_INVALID_ARGUMENT);
    EXPECT_STREQ(triode_last_error(), "triode_plan_run: b is NULL");
    EXPECT_EQ(triode_plan_run(plan, 1, call.a, call.b, 0, nullptr), TRIODE_INVALID_ARGUMENT);
    EXPECT_STREQ(triode_last_error(), "triode_plan_run: c is NULL");
    void* const odd = static_cast<std::byte*>(call.c) + 1;
    EXPECT_EQ(triode_plan_run(plan, 1, call.a, call.b, 0, odd), TRIODE_INVALID_ARGUMENT);
    EXPECT_THAT(triode_last_error(), HasSubstr("c is not at a multiple of 4 bytes"));
    EXPECT_TRUE(product.is_untouched());
    EXPECT_EQ(triode_plan_destroy(plan), TRIODE_OK);
  });
}

TEST(ApiInput, PlanDestroyTakesNone) {
  EXPECT_EQ(triode_plan_destroy(nullptr), TRIODE_OK);
}

TEST(ApiInput, PlanQueryWantsAShapeAndInfo) {
  const triode_gemm_call shape = SmallProduct<float>::usual_shape();
  triode_plan_info info{};
  info.size = sizeof info;
  EXPECT_EQ(triode_plan_query(nullptr, &info), TRIODE_INVALID_ARGUMENT);
  EXPECT_STREQ(triode_last_error(), "triode_plan_query: shape is NULL");
  EXPECT_EQ(triode_plan_query(&shape, nullptr), TRIODE_INVALID_ARGUMENT);
  EXPECT_STREQ(triode_last_error(), "triode_plan_query: info is NULL");
  info.size = 0;
  EXPECT_EQ(triode_plan_query(&shape, &info), TRIODE_INVALID_ARGUMENT);
  EXPECT_THAT(triode_last_error(), StartsWith("triode_plan_query: info->size is 0"));
}

TEST(ApiInput, StatsWantsStatistics) {
  EXPECT_EQ(triode_stats(nullptr), TRIODE_INVALID_ARGUMENT);
  EXPECT_STREQ(triode_last_error(), "triode_stats: statistics is NULL");
  triode_statistics sums{};
  EXPECT_EQ(triode_stats(&sums), TRIODE_INVALID_ARGUMENT);
  EXPECT_THAT(triode_last_error(), StartsWith("triode_stats: statistics->size is 0"));
}

struct WrongOption {
  const char* name;
  void (*spoil)(triode_options&);
  triode_status code;
  const char* text;
};

const WrongOption kWrongOptions[] = {
    {"Size", [](triode_options& x) { x.size = 4; }, TRIODE_INVALID_ARGUMENT, "options->size is 4"},
    {"Mode", [](triode_options& x) { x.mode = 5; }, TRIODE_INVALID_ARGUMENT,
     "mode is 5; expected 0 to 4"},
    {"NegativeMode", [](triode_options& x) { x.mode = -1; }, TRIODE_INVALID_ARGUMENT,
     "mode is -1; expected 0 to 4"},
    {"Threads", [](triode_options& x) { x.threads = 1025; }, TRIODE_INVALID_ARGUMENT,
     "\"1025\" is not a number of threads"},
    {"NegativeThreads", [](triode_options& x) { x.threads = -1; }, TRIODE_INVALID_ARGUMENT,
     "\"-1\" is not a number of threads"},
    {"ForcedPlans", [](triode_options& x) { x.force_plans = 3; }, TRIODE_INVALID_ARGUMENT,
     "force_plans is 3; expected 0 to 2"},
    {"InProcess", [](triode_options& x) { x.in_process = 2; }, TRIODE_INVALID_ARGUMENT,
     "in_process is 2; expected 0 to 1"},
    {"FrozenWithoutPlans", [](triode_options& x) { x.mode = TRIODE_MODE_FROZEN; },
     TRIODE_INVALID_ARGUMENT, "no file is named"},
    {"FrozenWithMissingPlans",
     [](triode_options& x) { x.mode = TRIODE_MODE_FROZEN, x.plans = "/nowhere/host.plans"; },
     TRIODE_NOT_FOUND, "/nowhere/host.plans"},
};

class WrongOptions : public ::testing::TestWithParam<WrongOption> {};
INSTANTIATE_TEST_SUITE_P(Api, WrongOptions, ::testing::ValuesIn(kWrongOptions),
                         name_of<WrongOption>);

TEST_P(WrongOptions, StartNothing) {
  in_fresh_process([] {
    triode_options options = TRIODE_OPTIONS_INIT;
    GetParam().spoil(options);
    EXPECT_EQ(triode_init(&options), GetParam().code);
    EXPECT_THAT(triode_last_error(),
                AllOf(StartsWith("triode_init: "), HasSubstr(GetParam().text)));
    options = TRIODE_OPTIONS_INIT;
    options.mode = TRIODE_MODE_OBSERVE;
    EXPECT_EQ(triode_init(&options), TRIODE_OK);
  });
}

TEST(ApiInput, InitSaysWhatIsWrongWithAVariable) {
  in_fresh_process([] {
    setenv("TRIODE_MODE", "fast", 1);
    EXPECT_EQ(triode_init(nullptr), TRIODE_INVALID_ARGUMENT);
    EXPECT_THAT(triode_last_error(), HasSubstr("TRIODE_MODE: \"fast\" is not a mode"));
  });
}

TEST(ApiInput, ErrorsAreOfTheirThread) {
  ASSERT_EQ(triode_gemm(nullptr), TRIODE_INVALID_ARGUMENT);
  std::thread([] {
    EXPECT_STREQ(triode_last_error(), "");
    EXPECT_EQ(triode_stats(nullptr), TRIODE_INVALID_ARGUMENT);
    EXPECT_THAT(triode_last_error(), EndsWith("statistics is NULL"));
  }).join();
  EXPECT_THAT(triode_last_error(), EndsWith("call is NULL"));
}

}  // namespace
}  // namespace triode
