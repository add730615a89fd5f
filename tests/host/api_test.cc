// SPDX-License-Identifier: Apache-2.0
// The C interface in a program with a BLAS: the stand-in, which counts its calls.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <triode/triode.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/host/fresh_process.h"
#include "tests/host/small_product.h"
#include "tests/runtime/temporary_folder.h"

extern "C" {
long stand_in_calls();
void stand_in_set_threads(int count);
void cblas_sgemm(int layout, int ta, int tb, int m, int n, int k, float alpha, const float* a,
                 int lda, const float* b, int ldb, float beta, float* c, int ldc);
}

namespace triode {
namespace {

using ::testing::HasSubstr;

void start(int32_t mode, int32_t force_plans = TRIODE_FORCE_OFF) {
  triode_options options = TRIODE_OPTIONS_INIT;
  options.mode = mode;
  options.force_plans = force_plans;
  ASSERT_EQ(triode_init(&options), TRIODE_OK) << triode_last_error();
}

// The vendor answers, and Triode counts.
void start_observing() {
  start(TRIODE_MODE_OBSERVE);
}

// Kernels of ours answer from the first call on.
void start_answering() {
  start(TRIODE_MODE_OBSERVE, TRIODE_FORCE_FIRST);
}

triode_statistics statistics() {
  triode_statistics sums{};
  sums.size = sizeof sums;
  EXPECT_EQ(triode_stats(&sums), TRIODE_OK);
  return sums;
}

triode_plan_info query(const triode_gemm_call& shape) {
  triode_plan_info info{};
  info.size = sizeof info;
  EXPECT_EQ(triode_plan_query(&shape, &info), TRIODE_OK) << triode_last_error();
  return info;
}

triode_gemm_call without_pointers(triode_gemm_call call) {
  call.a = call.b = nullptr;
  call.c = nullptr;
  return call;
}

triode_plan* make_plan(const triode_gemm_call& shape) {
  triode_plan* plan = nullptr;
  EXPECT_EQ(triode_plan_create(&shape, &plan), TRIODE_OK) << triode_last_error();
  return plan;
}

triode_status run(triode_plan* plan, const triode_gemm_call& call) {
  return triode_plan_run(plan, call.alpha, call.a, call.b, call.beta, call.c);
}

// Every layout, transpose and kind of scalar, and a batch.
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

TEST(Api, TellsItsVersion) {
  EXPECT_EQ(triode_version(), std::to_string(TRIODE_VERSION_MAJOR) + '.' +
                                  std::to_string(TRIODE_VERSION_MINOR) + '.' +
                                  std::to_string(TRIODE_VERSION_PATCH));
}

TEST(ApiInit, TakesALaterStructThatSaysNothingNew) {
  in_fresh_process([] {
    struct {
      triode_options known = TRIODE_OPTIONS_INIT;
      int64_t added = 0;
    } options;
    options.known.size = sizeof options;
    EXPECT_EQ(triode_init(&options.known), TRIODE_OK) << triode_last_error();
  });
}

TEST(ApiInit, ComesTooLateASecondTime) {
  in_fresh_process([] {
    start_observing();
    const triode_options options = TRIODE_OPTIONS_INIT;
    EXPECT_EQ(triode_init(&options), TRIODE_ALREADY_STARTED);
    EXPECT_THAT(triode_last_error(), HasSubstr("has already started in this process"));
    EXPECT_EQ(triode_init(nullptr), TRIODE_ALREADY_STARTED);
    EXPECT_EQ(statistics().mode, TRIODE_MODE_OBSERVE);
  });
}

TEST(ApiInit, ComesTooLateAfterAMatmul) {
  in_fresh_process([] {
    SmallProduct<float> product;
    ASSERT_EQ(triode_gemm(&product.call), TRIODE_OK);
    EXPECT_EQ(triode_init(nullptr), TRIODE_ALREADY_STARTED);
  });
}

TEST(ApiInit, ComesTooLateAfterAnInterceptedCall) {
  in_fresh_process([] {
    const float one = 1;
    float c = 0;
    cblas_sgemm(101, 111, 111, 1, 1, 1, 1, &one, 1, &one, 1, 0, &c, 1);
    EXPECT_EQ(triode_init(nullptr), TRIODE_ALREADY_STARTED);
  });
}

TEST(ApiInit, ComesTooLateAfterAShutdown) {
  in_fresh_process([] {
    EXPECT_EQ(triode_shutdown(), TRIODE_OK);
    EXPECT_EQ(triode_init(nullptr), TRIODE_ALREADY_STARTED);
  });
}

TEST(ApiInit, ReadsVariablesWithoutOptions) {
  in_fresh_process([] {
    setenv("TRIODE_MODE", "observe", 1);
    EXPECT_EQ(triode_init(nullptr), TRIODE_OK);
    EXPECT_EQ(statistics().mode, TRIODE_MODE_OBSERVE);
  });
}

TEST(ApiInit, ReadsNoVariablesWithOptions) {
  in_fresh_process([] {
    setenv("TRIODE_MODE", "fast", 1);
    start(TRIODE_MODE_OFF);
    EXPECT_EQ(statistics().mode, TRIODE_MODE_OFF);
  });
}

TEST(ApiInit, TunesByDefault) {
  in_fresh_process([] {
    start(TRIODE_MODE_DEFAULT);
    EXPECT_EQ(statistics().mode, TRIODE_MODE_TUNE);
  });
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

TEST(ApiStats, AreZeroBeforeTheStart) {
  in_fresh_process([] {
    const triode_statistics sums = statistics();
    EXPECT_EQ(sums.mode, TRIODE_MODE_DEFAULT);
    EXPECT_EQ(sums.calls, 0u);
    EXPECT_EQ(triode_init(nullptr), TRIODE_OK) << "a question has started something";
  });
}

TEST(ApiStats, SumUpCallsAndTimes) {
  in_fresh_process([] {
    start_observing();
    SmallProduct<float> floats;
    SmallProduct<double> doubles;
    for (int i = 0; i < 3; ++i) ASSERT_EQ(triode_gemm(&floats.call), TRIODE_OK);
    ASSERT_EQ(triode_gemm(&doubles.call), TRIODE_OK);
    const triode_statistics sums = statistics();
    EXPECT_EQ(sums.shapes, 2u);
    EXPECT_EQ(sums.calls, 4u);
    EXPECT_EQ(sums.triode_calls, 0u);
    EXPECT_EQ(sums.planned, 0);
    EXPECT_GT(sums.total_ns, 0);
    EXPECT_EQ(sums.saved_ns, 0);
  });
}

TEST(ApiShutdown, LeavesCallsToTheVendor) {
  in_fresh_process([] {
    start_answering();
    SmallProduct<float> before, after;
    ASSERT_EQ(triode_gemm(&before.call), TRIODE_OK);
    ASSERT_EQ(triode_shutdown(), TRIODE_OK);
    EXPECT_EQ(triode_gemm(&after.call), TRIODE_OK);
    EXPECT_TRUE(after.is_computed());
    EXPECT_EQ(stand_in_calls(), 1);
    EXPECT_EQ(statistics().triode_calls, 1u);
    EXPECT_EQ(query(after.call).answered_by, TRIODE_BY_VENDOR);
  });
}

TEST(ApiShutdown, OfNothingKeepsItFromStarting) {
  in_fresh_process([] {
    ASSERT_EQ(triode_shutdown(), TRIODE_OK);
    SmallProduct<float> product;
    EXPECT_EQ(triode_gemm(&product.call), TRIODE_OK);
    EXPECT_TRUE(product.is_computed());
    EXPECT_EQ(statistics().mode, TRIODE_MODE_OFF);
    EXPECT_EQ(statistics().calls, 0u);
  });
}

TEST(ApiShutdown, WritesTheReportOnce) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "report").string();
  in_fresh_process([&] {
    triode_options options = TRIODE_OPTIONS_INIT;
    options.mode = TRIODE_MODE_OBSERVE;
    options.report_file = file.c_str();
    options.report_json = 1;
    ASSERT_EQ(triode_init(&options), TRIODE_OK) << triode_last_error();
    SmallProduct<float> product;
    ASSERT_EQ(triode_gemm(&product.call), TRIODE_OK);
    EXPECT_EQ(triode_shutdown(), TRIODE_OK);
    EXPECT_EQ(triode_shutdown(), TRIODE_OK);
  });
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  EXPECT_THAT(text.str(), HasSubstr("observe"));
  EXPECT_EQ(std::ranges::count(text.str(), '\n'), 1);
}

long count_threads() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

TEST(ApiShutdown, EndsTheBackgroundThread) {
  const TemporaryFolder folder;
  in_fresh_process([&] {
    triode_options options = TRIODE_OPTIONS_INIT;
    options.cache = folder.path().c_str();
    ASSERT_EQ(triode_init(&options), TRIODE_OK) << triode_last_error();
    const long before = count_threads();
    std::vector<float> a(96 * 96), b(96 * 96), c(96 * 96);
    triode_gemm_call call = TRIODE_GEMM_CALL_INIT;
    call.m = call.n = call.k = call.lda = call.ldb = call.ldc = 96;
    call.a = a.data();
    call.b = b.data();
    call.c = c.data();
    for (int i = 0; i < 1000 && count_threads() == before; ++i) triode_gemm(&call);
    EXPECT_EQ(count_threads(), before + 1);
    EXPECT_EQ(triode_shutdown(), TRIODE_OK);
    EXPECT_EQ(count_threads(), before);
  });
}

}  // namespace
}  // namespace triode
