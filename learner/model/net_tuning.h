// SPDX-License-Identifier: Apache-2.0
// Internal to learner/model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "learner/model/block_kernels.h"
#include "learner/model/net.h"

namespace triode {

// A net whose last layers are being trained, a block of configs at a time, by Adam. Not
// thread-safe.
//
//   tuning.forward(x);                       // for each block of a batch:
//   tuning.add_gradient(slopes, count);
//   tuning.apply(learning_rate);             // once for the batch
class NetTuning {
 public:
  // `trained_layers` counts from the last one; all if the net has fewer.
  NetTuning(const Net& net, size_t trained_layers, const BlockKernels& kernels);
  // Trains what the first layer makes of the inputs that `only` marks, and nothing else.
  NetTuning(const Net& net, std::vector<bool> only, const BlockKernels& kernels);

  const Net& net() const { return net_; }

  // `x` is the net's standardised inputs, row by row of a block. Without the skipped feature.
  void forward(const float* x);
  const float* values() const { return outputs_.back().data(); }  // one per column of the block
  const float* basis() const;                                     // input of the last layer

  // `slopes` is the derivative of the loss by the value of each of the first `count` columns.
  void add_gradient(const float* slopes, size_t count);

  // One step along what was added since the last one, and forgets it.
  void apply(double learning_rate);

 private:
  struct Moments {
    std::vector<float> gradient, mean, square;
  };
  struct Trained {
    Moments weights, bias;
    std::vector<float> before;  // of a hidden layer: its output before the activation
  };
  void add_layer_gradient(size_t layer, const std::vector<float>& slopes, size_t count);
  std::vector<float> slopes_below(size_t layer, const std::vector<float>& slopes,
                                  size_t count) const;
  void step(std::vector<float>& values, Moments& moments, double learning_rate) const;
  bool is_trained(size_t layer) const { return layer >= first_trained_; }

  Net net_;
  const BlockKernels& kernels_;
  size_t first_trained_ = 0;
  const float* x_ = nullptr;
  std::vector<std::vector<float>> outputs_;  // of each layer
  std::vector<Trained> trained_;             // of the layers from first_trained_ on
  std::vector<bool> only_;                   // empty: every weight of those layers
  uint64_t steps_ = 0;
};

}  // namespace triode
