// SPDX-License-Identifier: Apache-2.0
#include "learner/model/net_tuning.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/random.h"
#include "tests/learner/small_model.h"

namespace triode {
namespace {

constexpr size_t kCount = 5;  // columns that hold configs

std::vector<float> drawn_inputs(size_t rows) {
  Random random(3);
  std::vector<float> x(rows * kBlockColumns);
  for (float& value : x) value = static_cast<float>(2 * random.uniform() - 1);
  return x;
}

// The loss is the sum of the first kCount values, each with its own factor.
constexpr float kSlopes[kCount] = {1.0F, -0.5F, 0.25F, 2.0F, -1.5F};

double loss_of(const Net& net, const std::vector<float>& x) {
  NetTuning tuning(net, 1, runnable_block_kernels().back());
  tuning.forward(x.data());
  double loss = 0;
  for (size_t c = 0; c < kCount; ++c) loss += kSlopes[c] * tuning.values()[c];
  return loss;
}

// Adam's first step moves each weight against the sign of its derivative, by the learning rate.
class StepsDown : public ::testing::TestWithParam<Activation> {};

TEST_P(StepsDown, AlongTheDerivativeOfEveryTrainedWeight) {
  Net net = drawn_net(NetRole::kRank, 5, 6);
  net.activation = GetParam();
  const std::vector<float> x = drawn_inputs(net.inputs.size());
  NetTuning tuning(net, 2, runnable_block_kernels().front());
  tuning.forward(x.data());
  tuning.add_gradient(kSlopes, kCount);
  tuning.apply(0.01);
  int judged = 0;
  for (size_t layer : {1U, 2U}) {
    for (size_t i = 0; i < net.layers[layer].weights.size(); ++i) {
      Net moved = net;
      moved.layers[layer].weights[i] += 0.01F;
      const double derivative = (loss_of(moved, x) - loss_of(net, x)) / 0.01;
      if (std::abs(derivative) < 0.01) continue;  // too near zero for its sign to be sure
      const float change = tuning.net().layers[layer].weights[i] - net.layers[layer].weights[i];
      EXPECT_NEAR(change, derivative > 0 ? -0.01 : 0.01, 1e-4) << layer << " " << i;
      ++judged;
    }
  }
  EXPECT_GT(judged, 15);
}
INSTANTIATE_TEST_SUITE_P(Activations, StepsDown,
                         ::testing::Values(Activation::kRelu, Activation::kSilu));

TEST(NetTuning, LeavesTheOtherLayersAlone) {
  const Net net = drawn_net(NetRole::kRank, 5, 6);
  const std::vector<float> x = drawn_inputs(net.inputs.size());
  NetTuning tuning(net, 1, runnable_block_kernels().front());
  tuning.forward(x.data());
  tuning.add_gradient(kSlopes, kCount);
  tuning.apply(0.01);
  EXPECT_EQ(tuning.net().layers[0], net.layers[0]);
  EXPECT_EQ(tuning.net().layers[1], net.layers[1]);
  EXPECT_NE(tuning.net().layers[2], net.layers[2]);
}

TEST(NetTuning, TrainsOnlyTheInputsItIsTold) {
  const Net net = drawn_net(NetRole::kRank, 5, 6);
  const std::vector<float> x = drawn_inputs(net.inputs.size());
  std::vector<bool> only(net.inputs.size(), false);
  only[3] = true;
  NetTuning tuning(net, only, runnable_block_kernels().front());
  tuning.forward(x.data());
  tuning.add_gradient(kSlopes, kCount);
  tuning.apply(0.01);
  Net expected = tuning.net();
  size_t moved = 0;
  for (size_t o = 0; o < 6; ++o) {
    float& weight = expected.layers[0].weights[o * only.size() + 3];
    const float before = net.layers[0].weights[o * only.size() + 3];
    moved += weight != before ? 1 : 0;
    weight = before;
  }
  EXPECT_EQ(expected, net);
  EXPECT_GT(moved, 0u);
}

}  // namespace
}  // namespace triode
