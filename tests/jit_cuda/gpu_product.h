// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/problem.h"

namespace triode {

// The operands of one matmul of any type that the GPU kernels take, as bytes for a device, and a
// judge of what a kernel made of them. Gaps between rows hold NaNs, which must stay. Operands of
// tf32 have no more bits than its products keep.
class GpuProduct {
 public:
  // Values depend on the seed and the position alone. With beta 0, c holds NaNs before the call.
  GpuProduct(const Problem& problem, double alpha, double beta, uint64_t seed);

  const std::vector<std::byte>& a() const { return a_; }
  const std::vector<std::byte>& b() const { return b_; }
  const std::vector<std::byte>& c() const { return c_; }
  // n elements of c's type; not empty whether the epilogue has a bias or not.
  const std::vector<std::byte>& bias() const { return bias_; }

  // Judges c after the call. Each element may differ from the exact product by (k + 4) eps of the
  // accumulator times the magnitude of its terms, by what the functions of an epilogue make of that
  // and add, and by one rounding to c's type. Empty if all do; else the first that does not.
  std::optional<std::string> find_mismatch(const std::vector<std::byte>& c) const;

 private:
  void compute_reference();
  void apply_epilogue();

  Problem problem_;
  double alpha_;
  double beta_;
  std::vector<std::byte> a_;
  std::vector<std::byte> b_;
  std::vector<std::byte> c_;
  std::vector<std::byte> bias_;
  std::vector<double> want_;       // batch x m x n, tight
  std::vector<double> magnitude_;  // of the terms of each, in the same order
};

}  // namespace triode
