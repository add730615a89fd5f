// SPDX-License-Identifier: Apache-2.0
#include "learner/model/net_tuning.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace triode {
namespace {

// Adam's usual constants: how long gradients and their squares are remembered, and what keeps a
// weight that has seen none from jumping.
constexpr double kMeanDecay = 0.9;
constexpr double kSquareDecay = 0.999;
constexpr double kLeastDeviation = 1e-8;

// Derivative of the activation from its argument and value: silu(z) = z s(z), so s = value / z.
float slope_of(Activation activation, float before, float value) {
  if (activation == Activation::kRelu) return before > 0 ? 1.0F : 0.0F;
  const float sigmoid = std::abs(before) < 1e-4F ? 0.5F + before / 4 : value / before;
  return sigmoid + value * (1 - sigmoid);
}

BlockActivation block_activation(Activation activation) {
  return activation == Activation::kRelu ? BlockActivation::kRelu : BlockActivation::kSilu;
}

}  // namespace

NetTuning::NetTuning(const Net& net, size_t trained_layers, const BlockKernels& kernels)
    : net_(net), kernels_(kernels) {
  const size_t count = net.layers.size();
  first_trained_ = count - std::min(trained_layers, count);
  for (size_t i = 0; i < count; ++i) {
    const DenseLayer& layer = net.layers[i];
    outputs_.emplace_back(static_cast<size_t>(layer.outputs) * kBlockColumns);
    if (!is_trained(i)) continue;
    const auto zeros = [](size_t size) {
      const std::vector<float> none(size, 0);
      return Moments{none, none, none};
    };
    trained_.push_back({zeros(layer.weights.size()), zeros(layer.bias.size()),
                        std::vector<float>(outputs_.back().size())});
  }
}

NetTuning::NetTuning(const Net& net, std::vector<bool> only, const BlockKernels& kernels)
    : NetTuning(net, net.layers.size(), kernels) {
  only_ = std::move(only);
}

const float* NetTuning::basis() const {
  return outputs_.size() < 2 ? x_ : outputs_[outputs_.size() - 2].data();
}

void NetTuning::forward(const float* x) {
  x_ = x;
  const float* in = x;
  for (size_t i = 0; i < net_.layers.size(); ++i) {
    const DenseLayer& layer = net_.layers[i];
    const bool is_last = i + 1 == net_.layers.size();
    DenseCall call{layer.weights.data(), layer.bias.data(),     layer.inputs, layer.outputs, in,
                   outputs_[i].data(),   BlockActivation::kNone};
    if (!is_last) {
      call.activation = block_activation(net_.activation);
      kernels_.dense(call);
      call.activation = BlockActivation::kNone;
      if (is_trained(i)) call.out = trained_[i - first_trained_].before.data();
    }
    if (is_last || is_trained(i)) kernels_.dense(call);
    in = outputs_[i].data();
  }
}

void NetTuning::add_gradient(const float* slopes, size_t count) {
  std::vector<float> down(slopes, slopes + count);
  down.resize(kBlockColumns);
  for (size_t i = net_.layers.size(); i-- > first_trained_;) {
    add_layer_gradient(i, down, count);
    if (i > first_trained_) down = slopes_below(i, down, count);
  }
}

void NetTuning::add_layer_gradient(size_t layer, const std::vector<float>& slopes, size_t count) {
  const float* in = layer == 0 ? x_ : outputs_[layer - 1].data();
  Trained& trained = trained_[layer - first_trained_];
  const auto inputs = static_cast<size_t>(net_.layers[layer].inputs);
  for (size_t o = 0; o < trained.bias.gradient.size(); ++o) {
    const float* slope = slopes.data() + o * kBlockColumns;
    float* gradient = trained.weights.gradient.data() + o * inputs;
    for (size_t c = 0; c < count; ++c) trained.bias.gradient[o] += slope[c];
    for (size_t i = 0; i < inputs; ++i) {
      const float* row = in + i * kBlockColumns;
      float sum = 0;
      for (size_t c = 0; c < count; ++c) sum += slope[c] * row[c];
      gradient[i] += sum;
    }
  }
}

// The loss by what entered the activation before `layer`.
std::vector<float> NetTuning::slopes_below(size_t layer, const std::vector<float>& slopes,
                                           size_t count) const {
  const DenseLayer& dense = net_.layers[layer];
  const auto inputs = static_cast<size_t>(dense.inputs);
  std::vector<float> below(inputs * kBlockColumns, 0);
  for (size_t o = 0; o < dense.bias.size(); ++o) {
    const float* slope = slopes.data() + o * kBlockColumns;
    for (size_t i = 0; i < inputs; ++i) {
      const float weight = dense.weights[o * inputs + i];
      for (size_t c = 0; c < count; ++c) below[i * kBlockColumns + c] += weight * slope[c];
    }
  }
  const std::vector<float>& before = trained_[layer - 1 - first_trained_].before;
  const std::vector<float>& value = outputs_[layer - 1];
  for (size_t i = 0; i < below.size(); ++i) {
    below[i] *= slope_of(net_.activation, before[i], value[i]);
  }
  return below;
}

void NetTuning::apply(double learning_rate) {
  ++steps_;
  if (!only_.empty()) {
    std::vector<float>& gradient = trained_.front().weights.gradient;
    for (size_t i = 0; i < gradient.size(); ++i) {
      if (!only_[i % only_.size()]) gradient[i] = 0;
    }
    step(net_.layers.front().weights, trained_.front().weights, learning_rate);
    return;
  }
  for (size_t i = 0; i < trained_.size(); ++i) {
    DenseLayer& layer = net_.layers[first_trained_ + i];
    step(layer.weights, trained_[i].weights, learning_rate);
    step(layer.bias, trained_[i].bias, learning_rate);
  }
}

void NetTuning::step(std::vector<float>& values, Moments& moments, double learning_rate) const {
  const auto steps = static_cast<double>(steps_);
  const auto mean_scale = static_cast<float>(1 / (1 - std::pow(kMeanDecay, steps)));
  const auto square_scale = static_cast<float>(1 / (1 - std::pow(kSquareDecay, steps)));
  constexpr auto kMean = static_cast<float>(kMeanDecay);
  constexpr auto kSquare = static_cast<float>(kSquareDecay);
  constexpr auto kLeast = static_cast<float>(kLeastDeviation);
  const auto rate = static_cast<float>(learning_rate);
  for (size_t i = 0; i < values.size(); ++i) {
    const float gradient = moments.gradient[i];
    moments.mean[i] = kMean * moments.mean[i] + (1 - kMean) * gradient;
    moments.square[i] = kSquare * moments.square[i] + (1 - kSquare) * gradient * gradient;
    values[i] -= rate * moments.mean[i] * mean_scale /
                 (std::sqrt(moments.square[i] * square_scale) + kLeast);
    moments.gradient[i] = 0;
  }
}

}  // namespace triode
