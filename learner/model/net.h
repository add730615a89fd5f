// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/status.h"

namespace triode {

enum class Activation : uint8_t { kRelu, kSilu };

// y = W x + b, stored as torch's Linear stores it: weights[o * inputs + i].
struct DenseLayer {
  int32_t inputs = 0;
  int32_t outputs = 0;
  std::vector<float> weights;
  std::vector<float> bias;

  bool operator==(const DenseLayer&) const = default;
};

// What a net predicts. x is the standardised features, L the raw feature named by `skip_feature`.
enum class NetRole : uint8_t {
  kRank,   // ln time, but for an offset that is the same for all configs of a task; lower is better
  kLevel,  // ln(seconds / roof)
  kFailure,  // logit of the probability that the config does not run at all
  kVendor,   // ln(seconds / roof) of the vendor's kernel; reads problem features only
};
std::string_view to_string(NetRole role);

// A multilayer perceptron with one output: the activation follows every layer but the last. Its
// value is the output plus skip_weight * L.
// A feature that never varied in training must not be among the inputs: what a net makes of one is
// noise, and it will vary on another device.
struct Net {
  NetRole role = NetRole::kRank;
  Activation activation = Activation::kRelu;
  std::vector<uint16_t> inputs;  // positions in the feature table, rising
  std::vector<DenseLayer> layers;
  int32_t skip_feature = -1;  // position in the feature table; -1 is none
  float skip_weight = 0;

  int32_t basis_size() const;  // inputs of the last layer

  // Layers fit each other and the inputs, sizes within bounds, every number finite.
  Status validate(size_t feature_count) const;

  bool operator==(const Net&) const = default;
};

inline constexpr int32_t kMaxLayerWidth = 1024;
inline constexpr size_t kMaxLayers = 8;

}  // namespace triode
