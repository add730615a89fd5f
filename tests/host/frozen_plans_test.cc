// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/frozen_plans.h"

#include <gtest/gtest.h>

#include <utility>

#include "jit/x86/gemm_space.h"
#include "runtime/host/gpu_flavour.h"
#include "runtime/host/plan_file.h"
#include "runtime/host/vendor_name.h"
#include "tests/core/status_matchers.h"
#include "tests/host/host_calls.h"
#include "tests/runtime/temporary_folder.h"

namespace triode::host {
namespace {

class FrozenPlansTest : public testing::Test {
 protected:
  PlanEntry& add_entry(int64_t m) {
    RawCall call = HostCall(m, 16, 16).raw();
    call.key.traits |= single_thread_site().traits | uint64_t{1} << call_traits::kThreads;
    return *table_.add(call.key, PlanTable::hash_of(call.key), meaning_of(call.key), nullptr);
  }

  StoredPlan plan_for(const PlanEntry& entry) {
    CpuDevice& device = cpu_maker_.get()->device();
    const Space space = std::move(device.enumerate(entry.problem)).take();
    const Config config = x86::promising_configs(space, entry.problem).front();
    const uint64_t digest = build_first(entry)->digest();
    return {entry.problem, space.to_string(config), vendor_name(entry.key), digest, 1.5, 150, 100};
  }

  void write(const StoredPlan& plan) {
    const Target& target = cpu_maker_.get()->device().target();
    ASSERT_TRUE(merge_into_plan_file(path_, target, {&plan, 1}).ok());
  }

  Result<std::unique_ptr<FrozenPlans>> load() {
    return FrozenPlans::load(path_, cpu_maker_, published_);
  }

  TemporaryFolder folder_;
  const std::string path_ = (folder_.path() / "some.plans").string();
  PlanTable& table_ = *PlanTable::create();
  LazyCpuPlanMaker cpu_maker_;
  PublishedPlans published_;
};

TEST_F(FrozenPlansTest, GiveThePlanOfTheFileToItsCall) {
  const PlanEntry& entry = add_entry(7);
  write(plan_for(entry));
  const auto plans = load();
  ASSERT_TRUE(plans.ok()) << plans.status().to_string();
  EXPECT_NE((*plans)->plan_for(entry), nullptr);
  EXPECT_EQ(published_.find(entry.index)->state, PlanState::kPlanned);
  EXPECT_EQ((*plans)->plan_for(add_entry(8)), nullptr);
}

TEST_F(FrozenPlansTest, DoNotServeAnotherVendor) {
  const PlanEntry& entry = add_entry(7);
  StoredPlan plan = plan_for(entry);
  plan.vendor = "libother.so 12 cblas_sgemm";
  write(plan);
  EXPECT_EQ((*load())->plan_for(entry), nullptr);
}

TEST_F(FrozenPlansTest, ServeAnyPointersWithCodeThatWasMeasuredOnAlignedOnes) {
  const PlanEntry& entry = add_entry(7);
  StoredPlan plan = plan_for(entry);
  plan.problem.alignment_bytes = 64;
  write(plan);
  EXPECT_NE((*load())->plan_for(entry), nullptr);
}

TEST_F(FrozenPlansTest, AreRefusedIfTheirCodeIsNotWhatWasMeasured) {
  StoredPlan plan = plan_for(add_entry(7));
  plan.code_digest ^= 1;
  write(plan);
  EXPECT_THAT(load(), FailsWith(StatusCode::kCorrupt, testing::HasSubstr("another version")));
}

TEST_F(FrozenPlansTest, AreRefusedIfTheFileIsMissingOrDamaged) {
  EXPECT_THAT(load(), FailsWith(StatusCode::kNotFound, testing::HasSubstr(path_)));
  folder_.write("some.plans", "triode-plans 1 garbage\n");
  EXPECT_THAT(load(), FailsWith(StatusCode::kCorrupt, testing::HasSubstr(path_)));
}

TEST_F(FrozenPlansTest, AreNoneForAGpuWhichTheReportAndOneWarningSay) {
  CallKey key{.m = 64, .n = 64, .k = 64, .lda = 64, .ldb = 64, .ldc = 64};
  key.traits = call_traits::of_site(Symbol::k_cublasSgemm_v2, 1) |
               call_traits::of_spelling({encode({}), 0, 0}) | call_traits::of_scalars(1.0, 0.0) |
               uint64_t{1} << call_traits::kThreads;
  const PlanEntry& entry = *table_.add(key, PlanTable::hash_of(key), meaning_of(key), nullptr);
  const StoredPlan on_cpu = plan_for(add_entry(7));
  const StoredPlan on_gpu{entry.problem, "config", vendor_name(key), 1, 1.5, 150, 100};
  for (const bool has_gpu : {false, true}) {
    write(on_cpu);
    Target gpu;
    gpu.isa = "sm_80";
    if (has_gpu) {
      ASSERT_TRUE(merge_into_plan_file(path_, gpu, {&on_gpu, 1}).ok());
    }
    auto plans = load();
    ASSERT_TRUE(plans.ok()) << plans.status().to_string();
    testing::internal::CaptureStderr();
    EXPECT_EQ((*plans)->plan_for(entry), nullptr);
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_EQ(said.find("plans for a GPU") != std::string::npos, has_gpu) << said;
    EXPECT_EQ(published_.find(entry.index)->state, PlanState::kVendorStays);
    EXPECT_THAT(published_.find(entry.index)->remark, testing::HasSubstr("no plans on a GPU"));
  }
}

TEST_F(FrozenPlansTest, OfAnotherMachineAreNone) {
  const PlanEntry& entry = add_entry(7);
  Target other = cpu_maker_.get()->device().target();
  other.device = "another processor";
  const StoredPlan plan = plan_for(entry);
  ASSERT_TRUE(merge_into_plan_file(path_, other, {&plan, 1}).ok());
  EXPECT_EQ((*load())->size(), 0u);
}

}  // namespace
}  // namespace triode::host
