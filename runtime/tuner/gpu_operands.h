// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/device.h"
#include "core/outcome.h"
#include "core/problem.h"
#include "core/status.h"
#include "runtime/device/cuda_device.h"

namespace triode::tuner {

// Operands of one problem in a GPU's memory. No page guards them there: so margins around each, and
// the gaps between its rows, hold NaN in a and b, which spoil what reads them, and in c a pattern
// that must be there afterwards.
//
// The right result is the vendor's. An element may be off by
//   2 (k + 4) eps (|alpha| sum |a||b| + |beta||c|) + what rounding to c's type takes,
// where eps is that of the sums, or of tf32 operands, and the sums of magnitudes are the vendor's,
// too. Where sums of kEighths are exact the first term is nothing. Not thread-safe; of the device's
// thread.
class GpuOperands {
 public:
  enum class Contents : uint8_t {
    kEighths,     // multiples of 1/8 in [-1, 1]: none zero: sums are exact in any order, in f32
                  // while k is below 2^16
    kMagnitudes,  // from 2^-6 to 2^6, of both signs
  };
  // The vendor's call, to its end.
  using Vendor = std::function<Status(const Operands&)>;

  // Calls the vendor twice. kResourceExhausted if the GPU's memory does not suffice.
  static Result<std::unique_ptr<GpuOperands>> make(CudaDevice& device, const Problem& problem,
                                                   Contents contents, uint64_t seed,
                                                   const Vendor& vendor);

  const Operands& operands() const { return operands_; }
  // Puts c into the state before the call.
  Status reset_c() const;
  // kOk, or kWrongResult and where; an error if the GPU cannot be read.
  Result<Outcome> check() const;

 private:
  struct Matrix;  // an operand in the host's memory, margins included
  GpuOperands(const Problem& problem) : problem_(problem) {}
  Status fill(CudaDevice& device, Contents contents, uint64_t seed);
  Status find_expected(CudaDevice& device, const Vendor& vendor);
  double tolerance(double magnitude, double expected) const;

  const Problem problem_;
  bool is_exact_ = false;  // any order of additions gives the same sums
  Operands operands_;
  CudaBuffer a_, b_, c_, bias_;
  std::vector<std::byte> a_bytes_, b_bytes_, c_bytes_, bias_bytes_;  // before the call
  std::vector<std::byte> expected_;                                  // c after the vendor's
  std::vector<double> magnitudes_;                                   // of its elements, row by row
};

}  // namespace triode::tuner
