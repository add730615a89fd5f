// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/device.h"
#include "core/problem.h"

namespace triode {

// (k + 4) * eps of the problem's type: the share of its terms' magnitude an element may be off by.
// Summing k products in any order, by any blocks, rounds each term at most k + 1 times, scaling by
// alpha, beta and adding c rounds three times more; each rounding is worth eps / 2. The other half
// is slack for the reference's own last rounding and for alpha and beta times each block of k.
double error_gamma(const Problem& problem);

// What c must hold after a call, and how far each element may be from it:
//   |got - want| <= gamma * (|alpha| * sum over p of |a(i, p)| |b(p, j)| + |beta| |c(i, j)|)
// An element that should be NaN must be one, and an infinity must be that infinity.
class ErrorBound {
 public:
  // Computes the reference at once; keeps none of the pointers. `before`: the operands as they are
  // before the call that will be judged.
  ErrorBound(const Problem& problem, const Operands& before);

  // Judges c after the call. Empty if every element keeps the bound; else the first that does not,
  // in order of batch, row and column, with its indices and values.
  std::optional<std::string> find_mismatch(const void* c) const;

 private:
  Problem problem_;
  std::vector<double> want_;       // batch x m x n, tight
  std::vector<double> magnitude_;  // the bracket of the bound, in the same order
};

}  // namespace triode
