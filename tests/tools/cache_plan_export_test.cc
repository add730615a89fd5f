// SPDX-License-Identifier: Apache-2.0
#include "tools/cache/plan_export.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/runtime/temporary_folder.h"

namespace triode::cache_tool {
namespace {

class PlanExport : public ::testing::Test {
 protected:
  void put(const std::string& isa, const PlanRecord& record) {
    const Target target = {.device = "device", .isa = isa, .toolchain = "x", .driver = {}};
    const PlanKey key = {.device = device_of(target),
                         .problem = Problem::mm(DType::kF32, 8, 8, 8),
                         .vendor = {"library", "gemm"},
                         .validity = validity_of(target)};
    ASSERT_TRUE(cache_->plans().put(key, record).ok());
  }

  const TemporaryFolder folder_;
  const std::unique_ptr<Cache> cache_ = Cache::open(folder_.path() / "cache", {}).take();
  PlanRecord plan_{.config = "x=1"};
};

// Mode frozen has no code for them, whether or not the plan names the artifact.
TEST_F(PlanExport, LeavesOutAndCountsPlansForGpus) {
  put("avx2", plan_);
  put("sm_80", plan_);
  plan_.artifact = "digest";
  put("sm_90", plan_);
  const ExportedPlans exported = plans_to_export(*cache_, {}).take();
  EXPECT_EQ(exported.plans, 1);
  EXPECT_EQ(exported.embedded, 2);
  ASSERT_EQ(exported.file.sections.size(), 1U);
  EXPECT_EQ(exported.file.sections[0].plans.size(), 1U);
}

TEST_F(PlanExport, LeavesOutAndCountsWithdrawnPlans) {
  plan_.is_withdrawn = true;
  put("avx2", plan_);
  const ExportedPlans exported = plans_to_export(*cache_, {}).take();
  EXPECT_EQ(exported.plans, 0);
  EXPECT_EQ(exported.withdrawn, 1);
}

}  // namespace
}  // namespace triode::cache_tool
