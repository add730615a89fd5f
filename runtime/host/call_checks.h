// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "runtime/host/call_meaning.h"
#include "runtime/host/scalar_bits.h"

namespace triode::host {

// What must hold of the pointers and scalars of a call before code of ours may answer it, worked
// out once from what its key means.
class CallChecks {
 public:
  CallChecks() = default;
  // `may_be_quick`: whether are_built_in() may ever be true.
  explicit CallChecks(const CallMeaning& meaning, bool may_be_quick = true);

  // The bits of the three pointers together, for is_misaligned().
  static uintptr_t pointer_bits(const void* a, const void* b, const void* c) noexcept {
    return reinterpret_cast<uintptr_t>(a) | reinterpret_cast<uintptr_t>(b) |
           reinterpret_cast<uintptr_t>(c);
  }

  // Whether a pointer is worse aligned than its elements.
  bool is_misaligned(uintptr_t pointer_bits) const noexcept {
    return (pointer_bits & misalignment_bits_) != 0;
  }

  // Whether c shares a byte with a or b, as the caller named them. For each pair one unsigned
  // comparison: their first bytes are less than the length of the earlier one apart.
  bool overlap(const void* a, const void* b, const void* c) const noexcept {
    const uintptr_t end = reinterpret_cast<uintptr_t>(c) + c_before_;
    return end - reinterpret_cast<uintptr_t>(a) <= a_and_c_before_ ||
           end - reinterpret_cast<uintptr_t>(b) <= b_and_c_before_;
  }

  // Whether code of ours may answer the call at all.
  bool allow(const RawCall& call) const noexcept {
    return !is_misaligned(pointer_bits(call.a, call.b, call.c)) && !overlap(call.a, call.b, call.c);
  }

  // Whether kernels have these scalars built in. By their bits, which is cheaper than comparing
  // numbers: a zero with a sign is said not to be.
  template <typename Scalar>
  bool are_built_in(Scalar alpha, Scalar beta) const noexcept {
    return is_one(alpha) && bits_of(beta) == beta_bits_;
  }

 private:
  uintptr_t misalignment_bits_ = 0;
  uint64_t beta_bits_ = 0;  // of the one beta, in the problem's type; of no number if any may be
  uintptr_t c_before_ = 0;  // bytes of c from its first to its last
  uintptr_t a_and_c_before_ = 0;  // the same of a and c together
  uintptr_t b_and_c_before_ = 0;
};

}  // namespace triode::host
