// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/device.h"
#include "core/outcome.h"
#include "core/problem.h"
#include "core/status.h"
#include "runtime/search/checked_operands.h"

namespace triode::tuner {

// What the elements of a and b are like.
enum class Contents : uint8_t {
  kEighths,       // multiples of 1/8 in [-1, 1], none zero: sums are exact in any order, of f32
                  // while k is at most 87,380
  kDenormals,     // mixed with numbers of magnitude 1, so that products are still there to be seen
  kMagnitudes,    // from 2^-20 to 2^20: the large hide the small, within the bound
  kCancellation,  // row sums of large terms that cancel
};
constexpr int kContentsCount = 4;

// Operands of one problem in pages of their own, with pages beside them that nobody may touch: a
// kernel that reads or writes past the end of an operand (or, `at_start`, before its beginning)
// dies, as far as its alignment lets the operand reach up to the page. Gaps and slack hold NaN in a
// and b, which cannot be written to, and in c a pattern that must be there afterwards.
//
// The right result is the vendor's. Where sums of kEighths are exact, so is the comparison: no
// bound grows over a forgotten product. Elsewhere the bound for element ij is
//   2 (k + 4) eps (|alpha| sum_l |a_il||b_lj| + |beta||c_ij|) + 2 (k + 4) * least normal number,
// twice what any order of additions can be off, since the vendor may be off as well; the last term
// lets denormals be flushed. The sums of magnitudes come from the vendor, too, so that such a check
// costs three of its calls. Not thread-safe.
class GuardedOperands final : public CheckedOperands {
 public:
  // Calls the vendor's function, twice where there are bounds. kUnsupported for anything but f32
  // and f64 without an epilogue; kResourceExhausted if there is no memory.
  static Result<std::unique_ptr<GuardedOperands>> make(const Problem& problem, Contents contents,
                                                       bool at_start, uint64_t seed,
                                                       const VendorKernel& vendor);
  ~GuardedOperands() override;

  const Operands& operands() const override { return operands_; }
  void reset_c() override;
  Outcome check() const override;

  struct Matrix;  // internal

 private:
  GuardedOperands(const Problem& problem, bool at_start);
  template <typename T>
  void fill(Contents contents, uint64_t seed, const VendorKernel& vendor);
  template <typename T>
  void find_bounds(const VendorKernel& vendor);
  template <typename T>
  void reset_c_as();
  template <typename T>
  Outcome check_as() const;

  Problem problem_;
  std::unique_ptr<Matrix> a_, b_, c_;
  Operands operands_;
  std::vector<std::byte> expected_;  // c after the vendor's call, gaps included
  std::vector<std::byte> bounds_;    // how far each element may be off, laid out as c; 0 in gaps
};

}  // namespace triode::tuner
