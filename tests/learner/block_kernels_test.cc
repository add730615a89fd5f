// SPDX-License-Identifier: Apache-2.0
#include "learner/model/block_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/random.h"

namespace triode {
namespace {

std::vector<float> drawn(size_t count, double scale, Random& random) {
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(scale * (2 * random.uniform() - 1));
  return values;
}

double activated(double x, BlockActivation activation) {
  if (activation == BlockActivation::kRelu) return std::max(0.0, x);
  if (activation == BlockActivation::kSilu) return x / (1 + std::exp(-x));
  return x;
}

class EachWidth : public ::testing::TestWithParam<size_t> {
 protected:
  void SetUp() override {
    if (GetParam() >= runnable_block_kernels().size()) {
      GTEST_SKIP() << "this processor runs fewer widths";
    }
    kernels = &runnable_block_kernels()[GetParam()];
  }
  const BlockKernels* kernels = nullptr;
};

TEST_P(EachWidth, MultipliesLikeAPlainLoop) {
  Random random(1);
  for (const auto activation :
       {BlockActivation::kNone, BlockActivation::kRelu, BlockActivation::kSilu}) {
    for (const auto& [inputs, outputs] : {std::pair{1, 1}, {0, 3}, {5, 2}, {46, 64}, {64, 7}}) {
      const std::vector<float> weights = drawn(static_cast<size_t>(inputs * outputs), 1, random);
      const std::vector<float> bias = drawn(static_cast<size_t>(outputs), 3, random);
      const std::vector<float> in = drawn(inputs * kBlockColumns, 2, random);
      std::vector<float> out(outputs * kBlockColumns);
      kernels->dense(
          {weights.data(), bias.data(), inputs, outputs, in.data(), out.data(), activation});
      for (int o = 0; o < outputs; ++o) {
        for (size_t c = 0; c < kBlockColumns; ++c) {
          double sum = bias[o];
          for (int i = 0; i < inputs; ++i) {
            sum += double{weights[o * inputs + i]} * in[i * kBlockColumns + c];
          }
          ASSERT_NEAR(out[o * kBlockColumns + c], activated(sum, activation), 1e-5);
        }
      }
    }
  }
}

TEST_P(EachWidth, ActivatesWithoutOverflow) {
  const float one = 1;
  const float zero = 0;
  std::vector<float> in(kBlockColumns), out(kBlockColumns);
  for (const float x : {-1e30f, -200.0f, -30.0f, 30.0f, 200.0f, 1e30f}) {
    std::fill(in.begin(), in.end(), x);
    kernels->dense({&one, &zero, 1, 1, in.data(), out.data(), BlockActivation::kSilu});
    EXPECT_NEAR(out[5] / std::abs(x), x > 0 ? 1 : 0, 1e-6) << x;
  }
}

TEST_P(EachWidth, StandardisesAndClips) {
  const std::vector<float> mean = {1, -2};
  const std::vector<float> scale = {0.5, 100};
  std::vector<float> in(2 * kBlockColumns, 3), out(2 * kBlockColumns);
  in[kBlockColumns + 1] = -7;
  kernels->standardise({mean.data(), scale.data(), 2, 6, in.data(), out.data()});
  EXPECT_EQ(out[0], 1);
  EXPECT_EQ(out[kBlockColumns], 6);
  EXPECT_EQ(out[kBlockColumns + 1], -6);
}

INSTANTIATE_TEST_SUITE_P(All, EachWidth, ::testing::Values(0, 1, 2));

}  // namespace
}  // namespace triode
