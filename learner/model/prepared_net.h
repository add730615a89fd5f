// SPDX-License-Identifier: Apache-2.0
// Internal to learner/model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "learner/model/block_kernels.h"
#include "learner/model/feature_extractor.h"
#include "learner/model/net.h"
#include "learner/model/snapshot.h"

namespace triode {

// The features of up to kBlockColumns configs of a task, raw and standardised, in rows of a block.
// Holds only those that vary with the config; the problem's are standardised once. Columns past the
// last config hold zeros.
class FeatureBlock {
 public:
  FeatureBlock(const FeatureExtractor& extractor, const Standardisation& standardisation,
               const BlockKernels& kernels);

  void load(std::span<const Config> configs);  // at most kBlockColumns

  std::span<const float> problem() const { return problem_; }  // standardised
  const float* row(size_t feature) const;  // standardised; a feature that varies
  float raw(size_t feature, size_t column) const;
  // Standardised, of any feature.
  float value(size_t feature, size_t column) const;
  size_t problem_count() const { return problem_.size(); }

 private:
  const FeatureExtractor& extractor_;
  const Standardisation& standardisation_;
  const BlockKernels& kernels_;
  std::vector<float> problem_;
  std::vector<float> raw_;
  std::vector<float> standardised_;
};

// A net in the order the kernels read it: the first layer split into what the problem's features
// contribute, which is the same for all configs, and the rest.
class PreparedNet {
 public:
  PreparedNet(const Net& net, size_t problem_count);

  const Net& net() const { return net_; }

  // Room for one running evaluation, with the problem's part of the first layer summed up.
  class Run {
   public:
    Run(const PreparedNet& prepared, const FeatureBlock& block, const BlockKernels& kernels);

    // The net's value for each column of the block. `last` replaces the last layer's weights if it
    // is not empty.
    void evaluate(const FeatureBlock& block, std::span<const float> last, float* values);
    // Input of the last layer, row by row, as the last evaluate() left it.
    const float* basis() const { return basis_; }

   private:
    const float* first_input(const FeatureBlock& block);

    const PreparedNet& prepared_;
    const BlockKernels& kernels_;
    std::vector<float> first_bias_;
    std::vector<float> gathered_;
    std::vector<float> hidden_[2];
    const float* basis_ = nullptr;
  };

 private:
  Net net_;
  std::vector<uint16_t> problem_inputs_;  // positions in the feature table
  std::vector<uint16_t> varying_inputs_;
  std::vector<float> problem_weights_;  // outputs x problem_inputs_
  DenseLayer first_;                    // over varying_inputs_
  bool in_order_ = false;               // varying_inputs_ has no gap, so needs no gathering
};

}  // namespace triode
