// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cpu_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/random.h"
#include "jit/x86/gemm_space.h"
#include "runtime/device/cpu_artifact.h"
#include "runtime/device/usable_cores.h"
#include "tests/core/status_matchers.h"
#include "tests/reference/error_bound.h"
#include "tests/reference/guarded_operands.h"
#include "tests/reference/reference_gemm.h"
#include "tests/runtime/fake_machine.h"

namespace triode {
namespace {

using ::testing::HasSubstr;

class CpuDeviceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    machine_.set_time_to_read(std::chrono::microseconds(20));
    CpuDeviceOptions options;
    options.cores = 2;
    options.clock = &machine_;
    options.interruptions = &machine_;
    device_ = std::move(CpuDevice::create(options)).take();
  }

  Problem aligned_problem() {
    Problem problem = Problem::mm(DType::kF32, 40, 48, 33);
    problem.alignment_bytes = 4;
    problem.threads = 2;
    return problem;
  }

  std::unique_ptr<Artifact> build_any(const Problem& problem) {
    Random random(1);
    const Space space = std::move(device_->enumerate(problem)).take();
    return std::move(device_->build(problem, *space.sample(random))).take();
  }

  FakeMachine machine_;
  std::unique_ptr<CpuDevice> device_;
};

TEST(CpuDevice, UsesAllOfTheMachineUnlessToldOtherwise) {
  const auto device = CpuDevice::create();
  ASSERT_TRUE(device.ok()) << device.status().to_string();
  EXPECT_EQ((*device)->target().cores, usable_cores());
}

TEST(CpuDevice, KeepsToTheWidthsItIsGiven) {
  CpuDeviceOptions options;
  options.isas = {x86::IsaId::kAvx2};
  const auto device = CpuDevice::create(options);
  ASSERT_TRUE(device.ok()) << device.status().to_string();
  EXPECT_EQ((*device)->target().isa, "avx2");
}

TEST(CpuDevice, RefusesANegativeCountOfCores) {
  CpuDeviceOptions options;
  options.cores = -1;
  EXPECT_THAT(CpuDevice::create(options),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("-1 cores")));
}

TEST_F(CpuDeviceTest, RunsConfigsDrawnFromItsSpaceRight) {
  const Problem problem = aligned_problem();
  const Space space = std::move(device_->enumerate(problem)).take();
  Random random(7);
  for (int i = 0; i < 60; ++i) {
    const Config config = *space.sample(random);
    const auto artifact = device_->build(problem, config);
    if (!artifact.ok()) {
      EXPECT_EQ(artifact.status().code(), StatusCode::kUnsupported) << space.to_string(config);
      continue;
    }
    GuardedOperands matrices(problem, Guard::kAfterEnd, /*seed=*/i);
    const Operands operands = matrices.operands(1, 0);
    const ErrorBound bound(problem, operands);
    ASSERT_TRUE(device_->run(**artifact, operands).ok());
    ASSERT_EQ(bound.find_mismatch(operands.c).value_or(""), "") << space.to_string(config);
    ASSERT_EQ(matrices.c().damage().value_or(""), "") << space.to_string(config);
  }
}

TEST_F(CpuDeviceTest, OffersThreadsWithinTheProblemsBudgetOnly) {
  Problem problem = aligned_problem();
  problem.threads = 1;
  const Space space = std::move(device_->enumerate(problem)).take();
  space.for_each([](const Config& config) {
    EXPECT_EQ(x86::to_gemm_config(config).threads, 1);
    return true;
  });
}

TEST_F(CpuDeviceTest, RefusesABrokenProblem) {
  Problem problem = aligned_problem();
  problem.lda = 1;
  EXPECT_THAT(device_->enumerate(problem),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("lda")));
}

TEST_F(CpuDeviceTest, RefusesAConfigThatIsNotInTheSpace) {
  x86::GemmConfig config;
  config.mr = 1000;
  EXPECT_THAT(device_->build(aligned_problem(), x86::to_config(config)),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("Illegal config")));
  EXPECT_THAT(device_->build(aligned_problem(), Config(1)),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("Illegal config")));
}

TEST_F(CpuDeviceTest, RefusesOperandsThatDoNotFit) {
  Problem problem = aligned_problem();
  problem.alignment_bytes = 64;
  const auto artifact = build_any(problem);
  alignas(64) std::array<float, 40 * 48> a{};
  alignas(64) std::array<float, 40 * 48> b{};
  alignas(64) std::array<float, 40 * 48> c{};
  const auto run = [&](Operands operands) { return device_->run(*artifact, operands); };
  EXPECT_TRUE(run({a.data(), b.data(), c.data(), 1, 0}).ok());
  const StatusCode invalid = StatusCode::kInvalidArgument;
  EXPECT_THAT(run({nullptr, b.data(), c.data(), 1, 0}), FailsWith(invalid, HasSubstr("null")));
  EXPECT_THAT(run({a.data(), b.data(), nullptr, 1, 0}), FailsWith(invalid, HasSubstr("null")));
  EXPECT_THAT(run({a.data() + 1, b.data(), c.data(), 1, 0}), FailsWith(invalid, HasSubstr("64")));
  EXPECT_THAT(run({a.data(), b.data(), c.data(), 2, 0}), FailsWith(invalid, HasSubstr("alpha")));
  EXPECT_THAT(run({a.data(), b.data(), c.data(), 1, 1}), FailsWith(invalid, HasSubstr("beta")));
}

TEST_F(CpuDeviceTest, TakesNullPointersToWhatIsNotRead) {
  Problem problem = aligned_problem();
  problem.alpha = ScalarClass::kZero;
  const auto artifact = build_any(problem);
  std::vector<float> c(40 * 48, 1.0f);
  EXPECT_TRUE(device_->run(*artifact, {nullptr, nullptr, c.data(), 0, 0}).ok());
  EXPECT_EQ(c, std::vector<float>(40 * 48, 0.0f));
}

TEST_F(CpuDeviceTest, TimesAgainstTheVendorWarm) {
  const Problem problem = aligned_problem();
  const auto artifact = build_any(problem);
  GuardedOperands matrices(problem, Guard::kAfterEnd, 1);
  const Operands operands = matrices.operands(1, 0);
  bool is_always_the_same = true;
  const auto vendor = [&](const Operands& given) {
    is_always_the_same = is_always_the_same && given.c == operands.c;
    machine_.pass(std::chrono::microseconds(30));
  };
  TimingOptions timing;
  timing.target_spread = -1;
  timing.max_rounds = 5;
  const auto pair = device_->time(*artifact, vendor, operands, timing);
  ASSERT_TRUE(pair.ok()) << pair.status().to_string();
  EXPECT_EQ(pair->vendor.median_ns, 50'000);
  EXPECT_DOUBLE_EQ(pair->speedup, 2.5);
  EXPECT_EQ(pair->cache_state, CacheState::kWarm);
  EXPECT_TRUE(is_always_the_same);
}

TEST_F(CpuDeviceTest, TimesColdOnCopiesInTurn) {
  machine_.set_time_to_read(std::chrono::nanoseconds(100));  // so that a sample takes many calls
  const Problem problem = aligned_problem();
  const auto artifact = build_any(problem);
  GuardedOperands matrices(problem, Guard::kAfterEnd, 1);
  const Operands operands = matrices.operands(1, 0);
  std::set<const void*> seen;
  const auto vendor = [&](const Operands& given) { seen.insert(given.a); };
  TimingOptions timing;
  timing.cache_state = CacheState::kCold;
  timing.max_rounds = 5;
  const auto pair = device_->time(*artifact, vendor, operands, timing);
  ASSERT_TRUE(pair.ok()) << pair.status().to_string();
  EXPECT_EQ(pair->cache_state, CacheState::kCold);
  EXPECT_GT(seen.size(), 10u);
}

TEST_F(CpuDeviceTest, DoesNotTimeAgainstNothing) {
  const Problem problem = aligned_problem();
  const auto artifact = build_any(problem);
  GuardedOperands matrices(problem, Guard::kAfterEnd, 1);
  EXPECT_THAT(device_->time(*artifact, VendorKernel(), matrices.operands(1, 0), {}),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("vendor")));
}

}  // namespace
}  // namespace triode
