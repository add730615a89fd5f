// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/status.h"

namespace triode {

// Boosted trees that put one question per level: level l of tree t asks whether the standardised
// feature[t * depth + l] is above threshold[t * depth + l], and the answers, the first in the
// lowest bit, number one of the tree's 2^depth leaves. Asking the same of every config makes a tree
// a handful of vector comparisons. The value is the sum of the leaves: ln time, but for an offset
// that all configs of a task share, so that it can be averaged with what rank nets say.
struct TreeEnsemble {
  int32_t depth = 0;              // 0 if there are no trees
  float share = 0;                // of the trees in the score; the rest is the nets'
  std::vector<uint16_t> feature;  // positions in the feature table
  std::vector<float> threshold;
  std::vector<float> leaf;  // tree by tree

  bool empty() const { return feature.empty(); }
  size_t tree_count() const { return empty() ? 0 : feature.size() / static_cast<size_t>(depth); }

  // The lists fit each other and `feature_count`, sizes are within bounds, every number is finite.
  // No trees at all are valid.
  Status validate(size_t feature_count) const;

  bool operator==(const TreeEnsemble&) const = default;
};

inline constexpr int32_t kMaxTreeDepth = 8;
inline constexpr size_t kMaxTrees = 10'000;

// Standardised features of configs of one task, as the trees read them: the problem's, then for
// each further feature a row of kBlockColumns (block_kernels.h) configs.
struct TreeColumns {
  std::span<const float> problem;
  const float* varying;
};

// Adds the trees' value for the first `count` configs to `sums`.
void add_tree_values(const TreeEnsemble& trees, const TreeColumns& columns, size_t count,
                     double* sums);

}  // namespace triode
