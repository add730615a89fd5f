// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <triode/runtime.h>

#include <array>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/host/fresh_process.h"

extern "C" long stand_in_calls();

namespace triode {
namespace {

using ::testing::HasSubstr;

static_assert(!std::is_copy_constructible_v<Runtime>);
static_assert(!std::is_copy_constructible_v<Runtime::Plan<float>>);
static_assert(std::is_nothrow_move_constructible_v<Runtime::Plan<float>>);
static_assert(std::is_nothrow_move_assignable_v<Runtime::Plan<double>>);

const Runtime::Options kObserving{.mode = TRIODE_MODE_OBSERVE};
const Runtime::Options kAnswering{.mode = TRIODE_MODE_OBSERVE, .force_plans = TRIODE_FORCE_FIRST};
const Runtime::Shape kShape{.m = 2, .n = 3, .k = 1};

template <typename Body>
triode_status code_of(const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.code();
  }
  return TRIODE_OK;
}

template <typename Body>
std::string text_of(const Body& body) {
  try {
    body();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(Runtime, MultipliesVectorsArraysSpansAndPointers) {
  in_fresh_process([] {
    const Runtime runtime(kAnswering);
    const std::vector<float> a = {2, 3};
    const std::array<float, 3> b = {1, 10, 100};
    std::vector<float> c(6);
    runtime.gemm(kShape, 1, a, b, 0, c);
    EXPECT_EQ(c, (std::vector<float>{2, 20, 200, 3, 30, 300}));
    runtime.gemm(kShape, 2, std::span(a), b.data(), 1, c.data());
    EXPECT_EQ(c, (std::vector<float>{6, 60, 600, 9, 90, 900}));
  });
}

TEST(Runtime, MultipliesDoubles) {
  in_fresh_process([] {
    const Runtime runtime(kObserving);
    const double a[] = {2, 3}, b[] = {1, 10, 100};
    std::vector<double> c(6);
    runtime.gemm(kShape, 1, a, b, 0, c);
    EXPECT_EQ(c, (std::vector<double>{2, 20, 200, 3, 30, 300}));
    EXPECT_EQ(stand_in_calls(), 1);
  });
}

TEST(Runtime, FindsTightLeadingDimensionsOfEveryLayout) {
  in_fresh_process([] {
    const Runtime runtime(kObserving);
    const std::vector<float> a = {1, 2, 3, 4, 5, 6}, b = {1, 2, 3};
    std::vector<float> c(2);
    // a is 2 x 3, b is 3 x 1.
    runtime.gemm({.m = 2, .n = 1, .k = 3}, 1, a, b, 0, c);
    EXPECT_EQ(c, (std::vector<float>{14, 32}));
    runtime.gemm({.m = 2, .n = 1, .k = 3, .a_transposed = true, .b_transposed = true}, 1, a, b, 0,
                 c);
    EXPECT_EQ(c, (std::vector<float>{22, 28}));
    runtime.gemm({.m = 2, .n = 1, .k = 3, .is_column_major = true}, 1, a, b, 0, c);
    EXPECT_EQ(c, (std::vector<float>{22, 28}));
    runtime.gemm({.m = 2, .n = 1, .k = 3, .a_transposed = true, .is_column_major = true}, 1, a, b,
                 0, c);
    EXPECT_EQ(c, (std::vector<float>{14, 32}));
  });
}

TEST(Runtime, MultipliesABatch) {
  in_fresh_process([] {
    const Runtime runtime(kAnswering);
    const Runtime::Shape shape{
        .m = 1, .n = 2, .k = 1, .batch = 2, .a_stride = 1, .c_stride = 2};  // one b for both
    const std::vector<double> a = {2, 3}, b = {1, 10};
    std::vector<double> c(4);
    runtime.gemm(shape, 1, a, b, 0, c);
    EXPECT_EQ(c, (std::vector<double>{2, 20, 3, 30}));
  });
}

TEST(Runtime, RefusesSpansThatAreTooShort) {
  in_fresh_process([] {
    const Runtime runtime(kObserving);
    const std::vector<float> a(2), b(3), short_b(2);
    std::vector<float> c(6), short_c(5);
    EXPECT_EQ(code_of([&] { runtime.gemm(kShape, 1, a, short_b, 0, c); }), TRIODE_INVALID_ARGUMENT);
    EXPECT_THAT(text_of([&] { runtime.gemm(kShape, 1, a, b, 0, short_c); }),
                HasSubstr("c holds 5 elements; the shape needs more"));
    const auto plan = runtime.plan<float>(kShape);
    EXPECT_EQ(code_of([&] { plan.run(1, a, short_b, 0, c); }), TRIODE_INVALID_ARGUMENT);
  });
}

TEST(Runtime, ThrowsWhatTheCInterfaceSays) {
  in_fresh_process([] {
    const Runtime runtime(kObserving);
    const Runtime::Shape wrong{.m = -1, .n = 3, .k = 1};
    float* const none = nullptr;
    EXPECT_EQ(code_of([&] { runtime.gemm(wrong, 1, none, none, 0, none); }),
              TRIODE_INVALID_ARGUMENT);
    EXPECT_THAT(text_of([&] { (void)runtime.plan<float>(wrong); }),
                HasSubstr("triode_plan_create: m is -1"));
    EXPECT_THAT(text_of([&] { (void)runtime.query<double>(wrong); }),
                HasSubstr("triode_plan_query: m is -1"));
    EXPECT_THAT(text_of([&] { runtime.gemm(kShape, 1, none, none, 0, none); }),
                HasSubstr("a is NULL"));
  });
}

TEST(Runtime, RunsAPlan) {
  in_fresh_process([] {
    const Runtime runtime(kAnswering);
    auto plan = runtime.plan<float>(kShape);
    auto moved = std::move(plan);
    plan = runtime.plan<float>(kShape);
    const std::vector<float> a = {2, 3}, b = {1, 10, 100};
    std::vector<float> c(6);
    moved.run(1, a, b, 0, c);
    plan.run(1, a, b, 1, c);
    EXPECT_EQ(c, (std::vector<float>{4, 40, 400, 6, 60, 600}));
    EXPECT_EQ(runtime.query<float>(kShape).triode_calls, 1u);
    EXPECT_EQ(runtime.query<float>(kShape, 1, 1).triode_calls, 1u);
    EXPECT_EQ(runtime.statistics().calls, 2u);
  });
}

TEST(Runtime, StartsOnce) {
  in_fresh_process([] {
    const Runtime runtime(kObserving);
    EXPECT_EQ(code_of([] { Runtime second(kObserving); }), TRIODE_ALREADY_STARTED);
  });
}

TEST(Runtime, JoinsWhatHasStarted) {
  in_fresh_process([] {
    const Runtime runtime(kObserving);
    { const Runtime second; }
    EXPECT_EQ(runtime.statistics().mode, TRIODE_MODE_OBSERVE);
    const float one = 1;
    float c = 0;
    runtime.gemm({.m = 1, .n = 1, .k = 1}, 1, &one, &one, 0, &c);
    EXPECT_EQ(runtime.statistics().calls, 1u) << "the second has shut down what it had not started";
  });
}

TEST(Runtime, ShutsDownAtItsEnd) {
  in_fresh_process([] {
    { const Runtime runtime(kAnswering); }
    const Runtime second;
    const float one = 1;
    float c = 0;
    second.gemm({.m = 1, .n = 1, .k = 1}, 1, &one, &one, 0, &c);
    EXPECT_EQ(c, 1);
    EXPECT_EQ(stand_in_calls(), 1);
  });
}

TEST(Runtime, ThrowsForWrongVariables) {
  in_fresh_process([] {
    setenv("TRIODE_MODE", "fast", 1);
    EXPECT_EQ(code_of([] { Runtime runtime; }), TRIODE_INVALID_ARGUMENT);
  });
}

}  // namespace
}  // namespace triode
