// SPDX-License-Identifier: Apache-2.0
// Start, end and statistics by the C interface, in a program with a BLAS: the stand-in, which
// counts its calls.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <triode/triode.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/host/api_use.h"
#include "tests/host/fresh_process.h"
#include "tests/host/small_product.h"
#include "tests/runtime/temporary_folder.h"

extern "C" {
long stand_in_calls();
void cblas_sgemm(int layout, int ta, int tb, int m, int n, int k, float alpha, const float* a,
                 int lda, const float* b, int ldb, float beta, float* c, int ldc);
}

namespace triode {
namespace {

using ::testing::HasSubstr;

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
    setenv("TRIODE_CACHE", folder.path().c_str(), 1);
    setenv("TRIODE_TUNER", "local-search", 1);
    ASSERT_EQ(triode_init(nullptr), TRIODE_OK) << triode_last_error();
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
