// SPDX-License-Identifier: Apache-2.0
#include "learner/model/prepared_net.h"

#include <algorithm>
#include <cassert>
#include <cstring>

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
  varying_inputs_.assign(split, net.inputs.end());
  const DenseLayer& whole = net.layers.front();
  first_.inputs = static_cast<int32_t>(varying_inputs_.size());
  first_.outputs = whole.outputs;
  const size_t known = problem_inputs_.size();
  for (int32_t o = 0; o < whole.outputs; ++o) {
    const float* row = whole.weights.data() + static_cast<size_t>(o) * net.inputs.size();
    problem_weights_.insert(problem_weights_.end(), row, row + known);
    first_.weights.insert(first_.weights.end(), row + known, row + net.inputs.size());
  }
  in_order_ = !varying_inputs_.empty() &&
              varying_inputs_.back() - varying_inputs_.front() + 1u == varying_inputs_.size();
}

PreparedNet::Run::Run(const PreparedNet& prepared, const FeatureBlock& block,
                      const BlockKernels& kernels)
    : prepared_(prepared), kernels_(kernels), first_bias_(prepared.net_.layers.front().bias) {
  const float* weight = prepared.problem_weights_.data();
  for (float& bias : first_bias_) {
    for (const uint16_t feature : prepared.problem_inputs_) {
      bias += *weight++ * block.problem()[feature];
    }
  }
  if (!prepared.in_order_) gathered_.resize(prepared.varying_inputs_.size() * kBlockColumns);
  size_t width = 0;
  for (const DenseLayer& layer : prepared.net_.layers) {
    width = std::max(width, static_cast<size_t>(layer.outputs));
  }
  for (std::vector<float>& hidden : hidden_) hidden.resize(width * kBlockColumns);
}

const float* PreparedNet::Run::first_input(const FeatureBlock& block) {
  const std::vector<uint16_t>& inputs = prepared_.varying_inputs_;
  if (prepared_.in_order_) return block.row(inputs.front());
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::memcpy(gathered_.data() + i * kBlockColumns, block.row(inputs[i]),
                kBlockColumns * sizeof(float));
  }
  return gathered_.data();
}

void PreparedNet::Run::evaluate(const FeatureBlock& block, std::span<const float> last,
                                float* values) {
  const Net& net = prepared_.net_;
  const float* in = first_input(block);
  basis_ = in;
  for (size_t i = 0; i < net.layers.size(); ++i) {
    const bool is_first = i == 0;
    const bool is_last = i + 1 == net.layers.size();
    const DenseLayer& layer = is_first ? prepared_.first_ : net.layers[i];
    const bool replaced = is_last && !last.empty();
    if (is_last) basis_ = in;
    float* out = is_last ? values : hidden_[i % 2].data();
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
