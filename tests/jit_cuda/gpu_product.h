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
// judge of what a kernel made of them. Gaps between rows hold NaNs, which must stay.
class GpuProduct {
 public:
  // Values depend on the seed and the position alone. With beta 0, c holds NaNs before the call.
  GpuProduct(const Problem& problem, double alpha, double beta, uint64_t seed);

  const std::vector<std::byte>& a() const { return a_; }
  const std::vector<std::byte>& b() const { return b_; }
  const std::vector<std::byte>& c() const { return c_; }

  // Judges c after the call. Each element may differ from the exact product by (k + 4) eps of the
  // accumulator times the magnitude of its terms, and by one rounding to c's type. Empty if all
  // do; else the first that does not.
  std::optional<std::string> find_mismatch(const std::vector<std::byte>& c) const;

 private:
  void compute_reference();

  Problem problem_;
  double alpha_;
  double beta_;
  std::vector<std::byte> a_;
  std::vector<std::byte> b_;
  std::vector<std::byte> c_;
  std::vector<double> want_;       // batch x m x n, tight
  std::vector<double> magnitude_;  // of the terms of each, in the same order
};

}  // namespace triode
