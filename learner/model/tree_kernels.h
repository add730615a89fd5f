// SPDX-License-Identifier: Apache-2.0
// Internal to learner/model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace triode {

// The trees of a TreeEnsemble, and a block of configs to ask them of.
struct TreeCall {
  const uint16_t* feature;
  const float* threshold;
  const float* leaf;
  int32_t depth;
  size_t trees;
  const float* problem;  // features that all configs share
  size_t problem_count;
  const float* varying;  // rows of kBlockColumns, from feature problem_count on
  size_t columns;        // at most kBlockColumns; some of the following are computed too
  float* totals;         // kBlockColumns: the sum of the leaves is added, tree by tree
};

// The loop for one width of vectors. All give the same bits: they add in the same order.
struct TreeKernel {
  std::string_view name;  // "avx512", "avx2", "portable"
  void (*add)(const TreeCall& call);
};

extern const TreeKernel kAvx512TreeKernel;
extern const TreeKernel kAvx2TreeKernel;
extern const TreeKernel kPortableTreeKernel;

// Those that this processor runs, the fastest first. The last one runs anywhere.
std::span<const TreeKernel> runnable_tree_kernels();

}  // namespace triode
