// SPDX-License-Identifier: Apache-2.0
// Internal to the self-test of a GPU.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/problem.h"
#include "core/status.h"
#include "runtime/device/cuda_device.h"

namespace triode {

// The operands of one product in a GPU's memory, and what c must be after it. Values are small
// multiples of a power of two, so that every sum of products is exact in f32 in whatever order.
// Gaps between rows are NaNs, which must stay; so is c where it is not read.
class SelfTestMatrices {
 public:
  // The device must outlive it.
  static Result<SelfTestMatrices> make(CudaDevice& device, const Problem& problem, double alpha,
                                       double beta);

  const Operands& operands() const { return operands_; }
  uint64_t ones() const { return reinterpret_cast<uint64_t>(ones_.data()); }  // one f32 of 1

  // Puts c back as it was before the first call.
  Status reset_c() const { return c_.upload(c_bytes_.data()); }
  // c as it is now.
  Result<std::string> result() const;
  // kInternal, with the first element that is wrong. Exact, but for gelu and silu.
  Status compare() const;

 private:
  explicit SelfTestMatrices(const Problem& problem) : problem_(problem) {}
  double expected(int64_t batch, int64_t i, int64_t j) const;

  Problem problem_;
  std::vector<double> a_values_, b_values_, c_values_, bias_values_;  // as they lie in memory
  std::string c_bytes_;
  CudaBuffer a_, b_, c_, bias_, ones_;
  Operands operands_;
};

}  // namespace triode
