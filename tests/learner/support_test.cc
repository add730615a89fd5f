// SPDX-License-Identifier: Apache-2.0
#include "learner/model/support.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "jit/x86/gemm_space.h"
#include "learner/model/feature_table.h"

namespace triode {
namespace {

// Trained on one processor, in sizes of 2^5 to 2^8 and with vectors of 32 bytes.
class SupportOfACpuModel : public ::testing::Test {
 protected:
  void SetUp() override {
    trained.devices = {device.name};
    trained.families = {KernelFamily::kX86};
    trained.ops = {Op::kMm};
    trained.dtypes = {DType::kF32};
    const size_t count = feature_table(DeviceKind::kCpu).problem_count;
    trained.problem_least.assign(count, 5);
    trained.problem_greatest.assign(count, 8);
    trained.problem_greatest[position("device_vector")] = 5;
    features.assign(count, 5);
  }
  static size_t position(std::string_view feature) {
    return *feature_table(DeviceKind::kCpu).position_of(feature);
  }
  SupportVerdict judge() const {
    return judge_support(trained, {problem, space, device, KernelFamily::kX86}, features);
  }

  const DeviceTraits device{"some cpu", "x86-avx2", DeviceKind::kCpu, {}, {}};
  const Problem problem = Problem::mm(DType::kF32, 64, 64, 64);
  const Space space = x86::gemm_space(problem, std::array{x86::IsaId::kAvx2}, 1).value();
  TrainingSupport trained;
  std::vector<float> features;
};

TEST_F(SupportOfACpuModel, ReachesAFactorOfTwoBeyondTheSizesTrained) {
  features[position("flops")] = 9;
  EXPECT_EQ(judge().support, Support::kInSupport);
  features[position("flops")] = 9.1F;
  EXPECT_EQ(judge().support, Support::kExtrapolated);
}

TEST_F(SupportOfACpuModel, EndsAtTheVectorsTrained) {
  EXPECT_EQ(judge().support, Support::kInSupport);
  features[position("device_vector")] = 6;
  EXPECT_EQ(judge().support, Support::kExtrapolated);
  EXPECT_EQ(judge().reason, "device_vector is beyond what was trained");
  features[position("device_vector")] = 4;
  EXPECT_EQ(judge().support, Support::kExtrapolated);
}

}  // namespace
}  // namespace triode
