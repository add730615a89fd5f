// SPDX-License-Identifier: Apache-2.0
// The C interface when a plan is published while the program runs. The plan is one of an earlier
// run, so that it depends on no timing whether there is one.
#include <gtest/gtest.h>
#include <triode/triode.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "jit/x86/gemm_space.h"
#include "runtime/device/cpu_device.h"
#include "runtime/host/plan_file.h"
#include "tests/host/api_use.h"
#include "tests/host/fresh_process.h"
#include "tests/runtime/temporary_folder.h"

extern "C" long stand_in_calls();

namespace triode {
namespace {

constexpr int64_t kSize = 96;
constexpr double kSpeedup = 12.5;
constexpr std::chrono::seconds kPatience(60);

// Keeps a plan for the shape below in front of this vendor. Its config as text.
Result<std::string> keep_plan(const std::string& file, const std::string& vendor) {
  Problem problem = Problem::mm(DType::kF32, kSize, kSize, kSize);
  problem.alignment_bytes = 4;
  const std::unique_ptr<CpuDevice> device = TRIODE_TRY(CpuDevice::create());
  const Space space = TRIODE_TRY(device->enumerate(problem));
  const Config config = x86::promising_configs(space, problem).front();
  const std::unique_ptr<Artifact> artifact = TRIODE_TRY(device->build(problem, config));
  const StoredPlan plan{.problem = problem,
                        .config = space.to_string(config),
                        .vendor = vendor,
                        .code_digest = artifact->digest(),
                        .speedup = kSpeedup,
                        .vendor_ns = kSpeedup,
                        .plan_ns = 1};
  TRIODE_TRY(merge_into_plan_file(file, device->target(), {&plan, 1}));
  return plan.config;
}

// A handle of a call, for which a plan of an earlier run comes to be known once Triode has started.
struct KeptCall {
  explicit KeptCall(const TemporaryFolder& folder) {
    setenv("TRIODE_CACHE", folder.path().c_str(), 1);
    setenv("TRIODE_TUNER", "local-search", 1);
    EXPECT_EQ(triode_init(nullptr), TRIODE_OK) << triode_last_error();
    call.m = call.n = call.k = call.lda = call.ldb = call.ldc = kSize;
    call.a = memory.data() + 1;  // at no cache line, or c is not
    call.b = memory.data() + kSize * kSize + 1;
    call.c = c.data() + (reinterpret_cast<uintptr_t>(c.data()) % 64 == 0 ? 1 : 0);
    EXPECT_EQ(triode_plan_create(&call, &plan), TRIODE_OK) << triode_last_error();
    EXPECT_EQ(query(call).state, TRIODE_PLAN_UNDECIDED);
    config = keep_plan((folder.path() / "host.plans").string(), std::string(query(call).vendor));
    EXPECT_TRUE(config.ok()) << config.status().to_string();
  }
  KeptCall(const KeptCall&) = delete;
  KeptCall& operator=(const KeptCall&) = delete;
  ~KeptCall() { triode_plan_destroy(plan); }

  triode_status run() const { return triode_plan_run(plan, 1, call.a, call.b, 0, call.c); }
  // Until a kernel answers, or patience ends.
  void run_until_planned() const {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (query(call).answered_by != TRIODE_BY_TRIODE && std::chrono::steady_clock::now() < end) {
      ASSERT_EQ(run(), TRIODE_OK);
    }
  }

  std::vector<float> memory = std::vector<float>(2 * kSize * kSize + 1, 1);
  std::vector<float> c = std::vector<float>(kSize * kSize + 1);
  triode_gemm_call call = TRIODE_GEMM_CALL_INIT;
  triode_plan* plan = nullptr;
  Result<std::string> config = unavailable("not made yet");
};

TEST(ApiKeptPlan, IsTakenUpByAHandleAndExplained) {
  const TemporaryFolder folder;
  in_fresh_process([&] {
    const KeptCall kept(folder);
    kept.run_until_planned();
    const triode_plan_info info = query(kept.call);
    EXPECT_EQ(info.answered_by, TRIODE_BY_TRIODE);
    EXPECT_EQ(info.state, TRIODE_PLAN_FOUND);
    EXPECT_EQ(info.speedup, kSpeedup);
    EXPECT_EQ(info.config, kept.config->substr(0, sizeof info.config - 1));
    EXPECT_GT(info.vendor_calls, 0u);

    const long vendor_calls = stand_in_calls();
    EXPECT_EQ(kept.run(), TRIODE_OK);
    EXPECT_EQ(*static_cast<const float*>(kept.call.c), kSize);
    EXPECT_EQ(stand_in_calls(), vendor_calls);
  });
}

TEST(ApiKeptPlan, IsExplainedInAForkedChildThatGoesOnWithIt) {
  const TemporaryFolder folder;
  in_fresh_process([&] {
    const KeptCall kept(folder);
    kept.run_until_planned();
    in_fresh_process([&] {
      EXPECT_EQ(kept.run(), TRIODE_OK);
      const triode_plan_info info = query(kept.call);
      EXPECT_EQ(info.answered_by, TRIODE_BY_TRIODE);
      EXPECT_EQ(info.triode_calls, 1u);
      EXPECT_EQ(info.state, TRIODE_PLAN_FOUND);
      EXPECT_EQ(info.speedup, kSpeedup);
      EXPECT_EQ(info.config, kept.config->substr(0, sizeof info.config - 1));
    });
  });
}

}  // namespace
}  // namespace triode
