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

// Room for the layers of any of some nets while they are evaluated, one after the other.
struct NetRoom {
  std::vector<float> hidden[2];
};

// A net in the order the kernels read it: the first layer split into what the problem's features
// contribute, which is the same for all configs, and the rest.
class PreparedNet {
 public:
  PreparedNet(const Net& net, size_t problem_count);

  const Net& net() const { return net_; }

  // The net on one task, with the problem's part of the first layer summed up. The room is enlarged
  // to what it needs, and may be shared by runs that take turns.
  class Run {
   public:
    Run(const PreparedNet& prepared, const FeatureBlock& block, const BlockKernels& kernels,
        NetRoom& room);

    // The net's value for each column of the block. `last` replaces the last layer's weights if it
    // is not empty.
    void evaluate(const FeatureBlock& block, std::span<const float> last, float* values);
    // Input of the last layer, row by row, as the last evaluate() in this room left it.
    const float* basis() const { return basis_; }

   private:
    const PreparedNet& prepared_;
    const BlockKernels& kernels_;
    NetRoom& room_;
    std::vector<float> first_bias_;
    const float* basis_ = nullptr;
  };

 private:
  Net net_;
  std::vector<uint16_t> problem_inputs_;  // positions in the feature table
  std::vector<float> problem_weights_;    // problem_inputs_ x outputs
  // Over the block's rows from the first to the last that the net reads. One that it does not read
  // weighs zero: a few multiplications more cost less than gathering the rows.
  DenseLayer first_;
  size_t first_row_ = 0;  // position in the feature table
};

}  // namespace triode
