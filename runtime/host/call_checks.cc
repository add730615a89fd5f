// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/call_checks.h"

#include <utility>

namespace triode::host {
namespace {

// As the bits of a float, too large; as those of a double, no number, so not one that is passed.
constexpr uint64_t kNoNumber = ~uint64_t{0};

// Bytes from the first to the last of an operand that is not empty, in memory.
uintptr_t last_byte(int64_t rows, int64_t columns, int64_t ld, int64_t batch, int64_t stride,
                    DType type) {
  const int64_t elements = (batch - 1) * stride + (rows - 1) * ld + columns;
  return static_cast<uintptr_t>(elements * size_bytes(type)) - 1;
}

uint64_t built_in_beta(const Problem& p) {
  const bool adds = p.beta == ScalarClass::kOne;
  if (p.alpha != ScalarClass::kOne || (!adds && p.beta != ScalarClass::kZero)) return kNoNumber;
  return p.c_type == DType::kF64 ? bits_of(adds ? 1.0 : 0.0) : bits_of(adds ? 1.0f : 0.0f);
}

}  // namespace

CallChecks::CallChecks(const CallMeaning& meaning, bool may_be_quick)
    : beta_bits_(may_be_quick ? built_in_beta(meaning.problem) : kNoNumber) {
  const Problem& p = meaning.problem;
  misalignment_bits_ = static_cast<uintptr_t>(size_bytes(p.c_type)) - 1;
  const int64_t a_rows = p.a_transposed ? p.k : p.m;
  const int64_t a_columns = p.a_transposed ? p.m : p.k;
  const int64_t b_rows = p.b_transposed ? p.n : p.k;
  const int64_t b_columns = p.b_transposed ? p.k : p.n;
  c_before_ = last_byte(p.m, p.n, p.ldc, p.batch, p.c_batch_stride, p.c_type);
  a_and_c_before_ =
      c_before_ + last_byte(a_rows, a_columns, p.lda, p.batch, p.a_batch_stride, p.a_type);
  b_and_c_before_ =
      c_before_ + last_byte(b_rows, b_columns, p.ldb, p.batch, p.b_batch_stride, p.b_type);
  if (meaning.operands_exchanged) std::swap(a_and_c_before_, b_and_c_before_);
}

}  // namespace triode::host
