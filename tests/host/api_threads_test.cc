// SPDX-License-Identifier: Apache-2.0
// The C interface on several threads at once.
#include <gtest/gtest.h>
#include <triode/triode.h>

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "tests/host/api_use.h"
#include "tests/host/fresh_process.h"
#include "tests/host/small_product.h"

namespace triode {
namespace {

constexpr size_t kThreads = 4;
constexpr int kCalls = 300;

// The body gets the number of its thread.
void on_threads(const std::function<void(size_t)>& body) {
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kThreads; ++i) threads.emplace_back(body, i);
  for (std::thread& thread : threads) thread.join();
}

triode_options answering_options() {
  triode_options options = TRIODE_OPTIONS_INIT;
  options.mode = TRIODE_MODE_OBSERVE;
  options.force_plans = TRIODE_FORCE_FIRST;
  return options;
}

TEST(ApiThreads, StartItOnce) {
  in_fresh_process([] {
    std::atomic<int> started{0}, too_late{0};
    on_threads([&](size_t) {
      const triode_options options = answering_options();
      const triode_status status = triode_init(&options);
      started += status == TRIODE_OK ? 1 : 0;
      too_late += status == TRIODE_ALREADY_STARTED ? 1 : 0;
    });
    EXPECT_EQ(started, 1);
    EXPECT_EQ(too_late, static_cast<int>(kThreads) - 1);
  });
}

// Their pointers differ in alignment, so that the plan's entry changes under way.
TEST(ApiThreads, RunOnePlan) {
  in_fresh_process([] {
    const triode_options options = answering_options();
    ASSERT_EQ(triode_init(&options), TRIODE_OK);
    const triode_gemm_call shape = SmallProduct<float>::usual_shape();
    triode_plan* plan = nullptr;
    ASSERT_EQ(triode_plan_create(&shape, &plan), TRIODE_OK);
    on_threads([=](size_t thread) {
      SmallProduct<float> product(shape, thread % 2);
      const triode_gemm_call& call = product.call;
      for (int i = 0; i < kCalls; ++i) {
        ASSERT_EQ(triode_plan_run(plan, 1, call.a, call.b, 0, call.c), TRIODE_OK);
      }
      EXPECT_TRUE(product.is_computed());
    });
    EXPECT_EQ(statistics().calls, kThreads * kCalls);
    triode_plan_destroy(plan);
  });
}

TEST(ApiThreads, MultiplyDuringShutdown) {
  in_fresh_process([] {
    const triode_options options = answering_options();
    ASSERT_EQ(triode_init(&options), TRIODE_OK);
    on_threads([](size_t thread) {
      SmallProduct<double> product;
      for (int i = 0; i < kCalls; ++i) {
        ASSERT_EQ(triode_gemm(&product.call), TRIODE_OK);
        if (thread == 0 && i == kCalls / 2) triode_shutdown();
      }
      EXPECT_TRUE(product.is_computed());
    });
  });
}

}  // namespace
}  // namespace triode
