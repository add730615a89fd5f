// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/vendor_checked_operands.h"

#include <cmath>
#include <cstring>
#include <string>
#include <utility>

namespace triode {

VendorCheckedOperands::VendorCheckedOperands(ProblemOperands memory, const VendorKernel& vendor)
    : memory_(std::move(memory)) {
  memory_.reset_c();
  vendor(memory_.operands());
  const int64_t element_bytes = size_bytes(memory_.problem().c_type);
  expected_.resize(static_cast<size_t>(memory_.c_elements() * element_bytes));
  std::memcpy(expected_.data(), memory_.operands().c, expected_.size());
}

Result<std::unique_ptr<VendorCheckedOperands>> VendorCheckedOperands::make(
    const Problem& problem, uint64_t seed, const VendorKernel& vendor) {
  ProblemOperands memory = TRIODE_TRY(ProblemOperands::make(problem, seed));
  return std::unique_ptr<VendorCheckedOperands>(
      new VendorCheckedOperands(std::move(memory), vendor));
}

template <typename T>
Outcome VendorCheckedOperands::check_as() const {
  const T* const got = static_cast<const T*>(memory_.operands().c);
  const T* const right = reinterpret_cast<const T*>(expected_.data());
  const T bound = static_cast<T>(memory_.tolerance());
  const int64_t count = memory_.c_elements();
  for (int64_t i = 0; i < count; ++i) {
    // NaN must count as wrong, hence the negated comparison.
    if (!(std::abs(got[i] - right[i]) <= bound)) {
      return {OutcomeKind::kWrongResult, "element " + std::to_string(i) + " of c is " +
                                             std::to_string(got[i]) + ", and the vendor's " +
                                             std::to_string(right[i])};
    }
  }
  return {};
}

Outcome VendorCheckedOperands::check() const {
  return memory_.problem().c_type == DType::kF32 ? check_as<float>() : check_as<double>();
}

}  // namespace triode
