// SPDX-License-Identifier: Apache-2.0
#include "learner/model/net.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace triode {
namespace {

bool all_finite(const std::vector<float>& values) {
  return std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
}

Status check_layer(const DenseLayer& layer, int32_t inputs, const std::string& what) {
  if (layer.inputs != inputs) {
    return invalid_argument(what + " takes " + std::to_string(layer.inputs) + " inputs, but gets " +
                            std::to_string(inputs));
  }
  const bool sized = layer.outputs >= 1 && layer.outputs <= kMaxLayerWidth && layer.inputs >= 1 &&
                     layer.inputs <= kMaxLayerWidth;
  if (!sized) return invalid_argument(what + " has an impossible size");
  const auto outputs = static_cast<size_t>(layer.outputs);
  if (layer.weights.size() != outputs * static_cast<size_t>(layer.inputs) ||
      layer.bias.size() != outputs) {
    return invalid_argument(what + " lacks weights");
  }
  if (!all_finite(layer.weights) || !all_finite(layer.bias)) {
    return invalid_argument(what + " has a weight that is not finite");
  }
  return {};
}

}  // namespace

std::string_view to_string(NetRole role) {
  constexpr std::array<std::string_view, 4> kNames = {"rank", "level", "failure", "vendor"};
  const auto position = static_cast<size_t>(role);
  return position < kNames.size() ? kNames[position] : "?";
}

int32_t Net::basis_size() const {
  return layers.empty() ? 0 : layers.back().inputs;
}

Status Net::validate(size_t feature_count) const {
  const std::string what = "the " + std::string(to_string(role)) + " net";
  if (static_cast<size_t>(role) > static_cast<size_t>(NetRole::kVendor) ||
      static_cast<size_t>(activation) > static_cast<size_t>(Activation::kSilu)) {
    return invalid_argument("a net has an unknown role or activation");
  }
  if (layers.empty() || layers.size() > kMaxLayers) {
    return invalid_argument(what + " has no layers, or too many");
  }
  const bool rising = std::adjacent_find(inputs.begin(), inputs.end(),
                                         [](auto a, auto b) { return a >= b; }) == inputs.end();
  if (inputs.empty() || !rising || inputs.back() >= feature_count) {
    return invalid_argument(what + " reads features that are not there, or twice");
  }
  if (skip_feature < -1 || skip_feature >= static_cast<int64_t>(feature_count) ||
      !std::isfinite(skip_weight)) {
    return invalid_argument(what + " skips from a feature that is not there");
  }
  auto width = static_cast<int32_t>(inputs.size());
  for (size_t i = 0; i < layers.size(); ++i) {
    TRIODE_TRY(check_layer(layers[i], width, "layer " + std::to_string(i) + " of " + what));
    width = layers[i].outputs;
  }
  if (width != 1) return invalid_argument(what + " has more than one output");
  return {};
}

}  // namespace triode
