// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/batch_emitter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "core/random.h"
#include "runtime/device/cpu_device.h"
#include "tests/core/status_matchers.h"

namespace triode::tuner {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class BatchEmitterTest : public ::testing::Test {
 protected:
  const std::unique_ptr<CpuDevice> device_ = std::move(CpuDevice::create()).take();
  const Problem problem_ = Problem::mm(DType::kF32, 17, 18, 19);
};

TEST_F(BatchEmitterTest, SaysWhatEachConfigBecomes) {
  const Space space = device_->enumerate(problem_).value();
  Random random(1);
  std::vector<Config> configs;
  while (configs.size() < 40) configs.push_back(*space.sample(random));
  for (const int threads : {0, 1, 2}) {
    const auto digests = emit_digests(*device_, problem_, configs, threads);
    ASSERT_EQ(digests.size(), configs.size());
    for (size_t i = 0; i < configs.size(); ++i) {
      EXPECT_EQ(digests[i].value(), device_->build(problem_, configs[i]).value()->digest());
    }
  }
}

TEST_F(BatchEmitterTest, SaysWhatDoesNotCompile) {
  const Space space = device_->enumerate(problem_).value();
  Random random(1);
  Config wrong = *space.sample(random);
  wrong[0] = -1;
  const std::vector<Config> configs = {*space.sample(random), wrong};
  const std::vector<Result<uint64_t>> digests = emit_digests(*device_, problem_, configs, 2);
  EXPECT_TRUE(digests[0].ok());
  EXPECT_THAT(digests[1], FailsWith(StatusCode::kInvalidArgument, HasSubstr("Illegal config")));
}

TEST_F(BatchEmitterTest, HasNothingToSayOfNothing) {
  EXPECT_THAT(emit_digests(*device_, problem_, {}, 2), IsEmpty());
}

}  // namespace
}  // namespace triode::tuner
