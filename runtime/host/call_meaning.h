// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/device.h"
#include "core/problem.h"
#include "runtime/host/raw_call.h"

namespace triode::host {

// What a call asks for.
enum class Understanding : uint8_t {
  kProblem,  // a matmul, in CallMeaning::problem
  kEmpty,    // nothing to multiply: a size is zero
  kInvalid,  // not a call we know: the original says what is wrong with it, or knows more than we
};

struct CallMeaning {
  Understanding understanding = Understanding::kInvalid;
  Problem problem;                  // row-major, as Triode describes every matmul
  bool operands_exchanged = false;  // the caller's b is the problem's a, and the other way round
};

// Longest leading dimension or stride that is believed, in elements: what is beyond is garbage, and
// products with it would overflow.
constexpr int64_t kLongestStride = int64_t{1} << 40;

// The meaning of a call, from its key alone. No allocation for what it understands; some hundred
// nanoseconds, so asked once for each key.
CallMeaning meaning_of(const CallKey& key);

// Pointers and scalars of the call in the order of its problem.
inline Operands operands_of(const RawCall& call, bool operands_exchanged) {
  return {.a = operands_exchanged ? call.b : call.a,
          .b = operands_exchanged ? call.a : call.b,
          .c = call.c,
          .alpha = call.alpha,
          .beta = call.beta,
          .bias = call.bias};
}

}  // namespace triode::host
