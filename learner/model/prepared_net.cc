// SPDX-License-Identifier: Apache-2.0
#include "learner/model/prepared_net.h"

#include <algorithm>
#include <cassert>

namespace triode {
namespace {

BlockActivation block_activation(Activation activation) {
  return activation == Activation::kRelu ? BlockActivation::kRelu : BlockActivation::kSilu;
}

}  // namespace

FeatureBlock::FeatureBlock(const FeatureExtractor& extractor,
                           const Standardisation& standardisation, const BlockKernels& kernels)
    : extractor_(extractor), standardisation_(standardisation), kernels_(kernels) {
  const std::span<const float> raw = extractor.problem_features();
  const float clip = standardisation.clip;
  for (size_t i = 0; i < raw.size(); ++i) {
    const float x = (raw[i] - standardisation.mean[i]) * standardisation.inverse_std[i];
    problem_.push_back(std::clamp(x, -clip, clip));
  }
  const size_t varying = extractor.table().size() - raw.size();
  raw_.resize(varying * kBlockColumns);
  standardised_.resize(varying * kBlockColumns);
}

void FeatureBlock::load(std::span<const Config> configs) {
  assert(configs.size() <= kBlockColumns);
  if (configs.size() < kBlockColumns) std::fill(raw_.begin(), raw_.end(), 0.0f);
  extractor_.extract_varying(configs, raw_.data(), kBlockColumns);
  const size_t first = problem_.size();
  kernels_.standardise({standardisation_.mean.data() + first,
                        standardisation_.inverse_std.data() + first,
                        static_cast<int32_t>(raw_.size() / kBlockColumns), standardisation_.clip,
                        raw_.data(), standardised_.data()});
}

const float* FeatureBlock::row(size_t feature) const {
  return standardised_.data() + (feature - problem_.size()) * kBlockColumns;
}

float FeatureBlock::raw(size_t feature, size_t column) const {
  if (feature < problem_.size()) return extractor_.problem_features()[feature];
  return raw_[(feature - problem_.size()) * kBlockColumns + column];
}

float FeatureBlock::value(size_t feature, size_t column) const {
  return feature < problem_.size() ? problem_[feature] : row(feature)[column];
}

PreparedNet::PreparedNet(const Net& net, size_t problem_count) : net_(net) {
  const auto split = std::lower_bound(net.inputs.begin(), net.inputs.end(), problem_count);
  problem_inputs_.assign(net.inputs.begin(), split);
  const std::span<const uint16_t> varying(split, net.inputs.end());
  first_row_ = varying.empty() ? problem_count : varying.front();
  const size_t rows = varying.empty() ? 0 : varying.back() - first_row_ + 1;
  const DenseLayer& whole = net.layers.front();
  const auto outputs = static_cast<size_t>(whole.outputs);
  first_.inputs = static_cast<int32_t>(rows);
  first_.outputs = whole.outputs;
  first_.weights.assign(outputs * rows, 0);
  const size_t known = problem_inputs_.size();
  problem_weights_.resize(outputs * known);
  for (size_t o = 0; o < outputs; ++o) {
    const float* weights = whole.weights.data() + o * net.inputs.size();
    for (size_t i = 0; i < known; ++i) problem_weights_[i * outputs + o] = weights[i];
    for (size_t i = 0; i < varying.size(); ++i) {
      first_.weights[o * rows + varying[i] - first_row_] = weights[known + i];
    }
  }
}

PreparedNet::Run::Run(const PreparedNet& prepared, const FeatureBlock& block,
                      const BlockKernels& kernels, NetRoom& room)
    : prepared_(prepared),
      kernels_(kernels),
      room_(room),
      first_bias_(prepared.net_.layers.front().bias) {
  const float* weight = prepared.problem_weights_.data();
  for (const uint16_t feature : prepared.problem_inputs_) {
    const float value = block.problem()[feature];
    for (float& bias : first_bias_) bias += *weight++ * value;
  }
  for (const DenseLayer& layer : prepared.net_.layers) {
    const size_t size = static_cast<size_t>(layer.outputs) * kBlockColumns;
    for (std::vector<float>& hidden : room.hidden) hidden.resize(std::max(hidden.size(), size));
  }
}

void PreparedNet::Run::evaluate(const FeatureBlock& block, std::span<const float> last,
                                float* values) {
  const Net& net = prepared_.net_;
  const float* in = block.row(prepared_.first_row_);
  basis_ = in;
  for (size_t i = 0; i < net.layers.size(); ++i) {
    const bool is_first = i == 0;
    const bool is_last = i + 1 == net.layers.size();
    const DenseLayer& layer = is_first ? prepared_.first_ : net.layers[i];
    const bool replaced = is_last && !last.empty();
    if (is_last) basis_ = in;
    float* out = is_last ? values : room_.hidden[i % 2].data();
    kernels_.dense({replaced ? last.data() : layer.weights.data(),
                    is_first ? first_bias_.data() : layer.bias.data(), layer.inputs, layer.outputs,
                    in, out, is_last ? BlockActivation::kNone : block_activation(net.activation)});
    in = out;
  }
  if (net.skip_feature < 0) return;
  const auto feature = static_cast<size_t>(net.skip_feature);
  for (size_t c = 0; c < kBlockColumns; ++c) values[c] += net.skip_weight * block.raw(feature, c);
}

}  // namespace triode
