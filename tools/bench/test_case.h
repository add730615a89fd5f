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

namespace triode::bench {

// Operands of one problem in memory of their own, and the result a right kernel gives for them.
// The elements are multiples of 1/8 in [-1, 1], so that sums are exact in any order until k reaches
// 2^18 and a wrong element cannot hide in rounding.
//
//   test_case->reset_c();
//   kernel(test_case->operands());
//   const Outcome outcome = test_case->check();
class TestCase {
 public:
  // Fills the operands and computes the result by a plain loop: about a second for 2 GFLOP.
  // kUnsupported for anything but f32 and f64 without an epilogue.
  static Result<std::unique_ptr<TestCase>> make(const Problem& problem, std::uint64_t seed);

  const Operands& operands() const { return operands_; }

  // Puts c into the state before the call: NaN where beta is zero and nothing of c may survive.
  void reset_c();

  // kWrongResult if an element is further from the right one than (k + 4) * eps, the bound for sums
  // of products of magnitude 1 in any order (times |alpha|, plus that of beta c).
  Outcome check() const;

 private:
  struct AlignedFree {
    void operator()(void* memory) const;
  };
  // The operand begins at the problem's alignment and no better.
  struct Buffer {
    std::unique_ptr<void, AlignedFree> memory;
    void* data = nullptr;
  };

  TestCase(const Problem& problem, std::uint64_t seed);
  static Buffer allocate(std::int64_t elements, const Problem& problem);
  template <typename T>
  void fill(std::uint64_t seed);
  template <typename T>
  void compute_expected();
  template <typename T>
  Outcome check_as() const;

  Problem problem_;
  Buffer a_, b_, c_;
  Operands operands_;
  std::vector<double> expected_;  // batch x m x n, tight
};

}  // namespace triode::bench
