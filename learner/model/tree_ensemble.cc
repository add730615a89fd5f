// SPDX-License-Identifier: Apache-2.0
#include "learner/model/tree_ensemble.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "learner/model/block_kernels.h"
#include "learner/model/tree_kernels.h"

namespace triode {
namespace {

bool all_finite(const std::vector<float>& values) {
  return std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
}

}  // namespace

Status TreeEnsemble::validate(size_t feature_count) const {
  if (*this == TreeEnsemble{}) return {};
  if (depth < 1 || depth > kMaxTreeDepth) return invalid_argument("trees of an impossible depth");
  const size_t trees = feature.size() / static_cast<size_t>(depth);
  if (trees == 0 || trees > kMaxTrees || feature.size() != trees * static_cast<size_t>(depth) ||
      threshold.size() != feature.size() || leaf.size() != trees << depth) {
    return invalid_argument("the questions and leaves of the trees do not fit each other");
  }
  const auto greatest = *std::max_element(feature.begin(), feature.end());
  if (greatest >= feature_count) return invalid_argument("a tree asks for an unknown feature");
  if (!(share > 0 && share <= 1)) return invalid_argument("trees with an impossible share");
  if (!all_finite(threshold) || !all_finite(leaf)) {
    return invalid_argument("a number of the trees is not finite");
  }
  return {};
}

void add_tree_values(const TreeEnsemble& trees, const TreeColumns& columns, size_t count,
                     double* sums) {
  if (trees.empty()) return;
  std::array<float, kBlockColumns> totals{};
  runnable_tree_kernels().front().add({trees.feature.data(), trees.threshold.data(),
                                       trees.leaf.data(), trees.depth, trees.tree_count(),
                                       columns.problem.data(), columns.problem.size(),
                                       columns.varying, count, totals.data()});
  for (size_t c = 0; c < count; ++c) sums[c] += static_cast<double>(totals[c]);
}

}  // namespace triode
