// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "core/device.h"
#include "core/problem.h"
#include "core/status.h"

namespace triode {

// Bytes of the three operands from their first element to the end of their last row, gaps included.
double operand_bytes(const Problem& problem);

// Operands of one problem in memory of their own: its exact shapes, strides and alignment (and no
// better one), and contents on which a wrong kernel shows. The elements are multiples of 1/8 in
// [-1, 1], so that sums are exact in any order until k reaches 2^18 and a wrong element cannot hide
// in rounding. The gaps, which are what lies between rows and between matrices, hold NaN in a and
// b, so that one used as a value spoils the result, and kGap in c, so that one written to differs.
// The same problem and seed give the same contents. Not thread-safe.
class ProblemOperands {
 public:
  static constexpr double kGap = 1234.5;  // what no kernel writes there by chance

  // Takes a few nanoseconds an element. The problem must be valid. kUnsupported for anything
  // but f32 and f64 without an epilogue; kResourceExhausted if there is no memory.
  static Result<ProblemOperands> make(const Problem& problem, uint64_t seed);

  const Problem& problem() const { return problem_; }
  const Operands& operands() const { return operands_; }

  // Puts c into the state before a call: NaN where beta is zero and nothing of c may survive, else
  // initial_c(); and the gaps.
  void reset_c();

  // c(i, j) of matrix z before a call, if beta is not zero. Differs between neighbours.
  static double initial_c(int64_t z, int64_t i, int64_t j) {
    return static_cast<double>((5 * z + 7 * i + 3 * j) % 17 - 8) / 8;
  }

  // How far an element of c may be from the right one: (k + 4) * eps * (|alpha| + |beta|), the
  // bound for sums of products of magnitude 1 in any order.
  double tolerance() const;

  int64_t c_elements() const;  // gaps included

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  // The operand begins at the problem's alignment and no better.
  struct Buffer {
    std::unique_ptr<void, Free> memory;
    void* data = nullptr;  // null if there was no memory
  };

  explicit ProblemOperands(const Problem& problem);
  static Buffer allocate(int64_t elements, const Problem& problem);
  template <typename T>
  void fill(uint64_t seed);
  template <typename T>
  void reset_c_as();

  Problem problem_;
  Buffer a_, b_, c_;
  Operands operands_;
};

}  // namespace triode
