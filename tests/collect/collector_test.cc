// SPDX-License-Identifier: Apache-2.0
#include "tools/collect/collector.h"

#include <gtest/gtest.h>

#include "cache/cache.h"
#include "runtime/device/cpu_device.h"
#include "tests/runtime/temporary_folder.h"

namespace triode::collect {
namespace {

void multiply(const Problem& problem, const Operands& operands, float factor) {
  const auto* a = static_cast<const float*>(operands.a);
  const auto* b = static_cast<const float*>(operands.b);
  auto* c = static_cast<float*>(operands.c);
  for (int64_t i = 0; i < problem.m; ++i) {
    for (int64_t j = 0; j < problem.n; ++j) {
      float sum = 0;
      for (int64_t p = 0; p < problem.k; ++p)
        sum += a[i * problem.lda + p] * b[p * problem.ldb + j];
      c[i * problem.ldc + j] = factor * sum;
    }
  }
}

class CollectorTest : public testing::Test {
 protected:
  void SetUp() override {
    auto created = CpuDevice::create();
    if (!created.ok()) GTEST_SKIP() << created.status().message();
    device_ = std::move(created).take();
    cache_ = Cache::open((folder_.path() / "store").string(), {}).take();
    options_ = parse_collect_options({"--configs", "6", "--trial-ms", "0.2"}, 1).take();
  }

  CollectCounts collect(float factor) {
    Collector collector(*device_, cache_->measurements(), options_);
    EXPECT_TRUE(
        collector
            .collect(problem_,
                     [&](const Operands& operands) { multiply(problem_, operands, factor); })
            .ok());
    return collector.counts();
  }

  const Problem problem_ = Problem::mm(DType::kF32, 5, 9, 7);
  TemporaryFolder folder_;
  CollectOptions options_;
  std::unique_ptr<CpuDevice> device_;
  std::unique_ptr<Cache> cache_;
};

TEST_F(CollectorTest, KeepsEveryTrialWithTheVendorsTime) {
  EXPECT_EQ(collect(1).measured, 6u);
  const auto found = cache_->measurements().find(device_->target(), problem_);
  ASSERT_EQ(found->trials.size(), 6u);
  for (const StoredTrial& trial : found->trials) {
    EXPECT_TRUE(trial.record.outcome.ok()) << trial.record.outcome.reason;
    EXPECT_GT(trial.record.measurement.median_ns, 0);
    EXPECT_TRUE(trial.record.vendor.has_value());
  }
}

TEST_F(CollectorTest, GoesOnAfterWhatIsKnown) {
  collect(1);
  options_.configs = 8;
  const CollectCounts counts = collect(1);
  EXPECT_EQ(counts.known, 6u);
  EXPECT_EQ(counts.measured, 2u);
  EXPECT_EQ(collect(1).measured, 0u);
}

TEST_F(CollectorTest, KeepsAWrongResultAsAnOutcome) {
  EXPECT_EQ(collect(2).failed, 6u);
  const auto found = cache_->measurements().find(device_->target(), problem_);
  ASSERT_FALSE(found->trials.empty());
  EXPECT_EQ(found->trials[0].record.outcome.kind, OutcomeKind::kWrongResult);
}

}  // namespace
}  // namespace triode::collect
