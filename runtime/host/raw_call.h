// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "runtime/host/blas_symbols.h"
#include "runtime/host/scalar_bits.h"

namespace triode::host {

// The arguments of an intercepted call that decide which code may run it, as they came: nothing is
// checked or normalised, since equal arguments mean the same and a call seen before was checked
// then. Two calls with equal CallKeys may run the same code.
struct CallKey {
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;  // gemv: 0
  int64_t lda = 0;
  int64_t ldb = 0;  // gemv: the increment of x
  int64_t ldc = 0;  // gemv: the increment of y
  uint64_t traits = 0;
  // Of the batch dialects alone; else as they are here.
  int64_t batch = 1;
  int64_t a_stride = 0;
  int64_t b_stride = 0;
  int64_t c_stride = 0;

  bool operator==(const CallKey&) const = default;
};

// The sizes and strides of a call without a batch, in the type they came in.
template <typename Int>
struct CallSizes {
  Int m, n, k, lda, ldb, ldc;

  // For a key that was made from sizes of the same type.
  bool are_those_of(const CallKey& key) const {
    return static_cast<Int>(key.m) == m && static_cast<Int>(key.n) == n &&
           static_cast<Int>(key.k) == k && static_cast<Int>(key.lda) == lda &&
           static_cast<Int>(key.ldb) == ldb && static_cast<Int>(key.ldc) == ldc;
  }
  CallKey to_key() const { return {.m = m, .n = n, .k = k, .lda = lda, .ldb = ldb, .ldc = ldc}; }
};

// An intercepted call: its key, pointers and scalars.
struct RawCall {
  CallKey key;
  const void* a = nullptr;
  const void* b = nullptr;
  void* c = nullptr;
  double alpha = 1;
  double beta = 0;
  // On a GPU alone: the stream that the caller wants it on, and the vector of its epilogue.
  void* stream = nullptr;
  const void* bias = nullptr;
  // Of the entry point's frame: what is called from inside it lies below. Null: yet to come.
  const void* frame = nullptr;
};

// How a caller spells layout and transposes: the values of cblas.h, or letters.
struct Spelling {
  int32_t layout = 0;  // 0 where there is none
  int32_t transpose_a = 0;
  int32_t transpose_b = 0;  // gemv: 0

  bool operator==(const Spelling&) const = default;
};

// What beta was, as far as code depends on it.
enum class BetaKind : uint8_t { kZero, kOne, kOther };

// CallKey::traits, from the lowest bit: layout (8 bits; on a GPU gpu_flavour.h), transposes of a
// and b as the caller spelt them (8 each), symbol (8), alpha is one (1), BetaKind (2), all pointers
// at cache lines (1), thread budget (12; on a GPU gpu_places.h), vendor (16).
namespace call_traits {

constexpr int kTransposeA = 8;
constexpr int kTransposeB = 16;
constexpr int kSymbol = 24;
constexpr int kAlphaIsOne = 32;
constexpr int kBeta = 33;
constexpr int kAligned = 35;
constexpr int kThreads = 36;
constexpr int kVendor = 48;

constexpr int kMaxThreads = (1 << (kVendor - kThreads)) - 1;
constexpr int kMaxVendors = 1 << 16;

constexpr uint64_t of_site(Symbol symbol, uint16_t vendor) {
  return static_cast<uint64_t>(symbol) << kSymbol | uint64_t{vendor} << kVendor;
}

// In place of a spelling: a layout that no dialect knows.
constexpr uint32_t kNonsense = 255;

// What does not fit becomes nonsense.
constexpr uint64_t of_spelling(const Spelling& spelling) {
  const auto layout = static_cast<uint32_t>(spelling.layout);
  const auto a = static_cast<uint32_t>(spelling.transpose_a);
  const auto b = static_cast<uint32_t>(spelling.transpose_b);
  return (layout | a | b) < kNonsense ? layout | a << kTransposeA | b << kTransposeB : kNonsense;
}

template <typename Scalar>
constexpr uint64_t of_scalars(Scalar alpha, Scalar beta) {
  const BetaKind kind =
      is_zero(beta) ? BetaKind::kZero : (is_one(beta) ? BetaKind::kOne : BetaKind::kOther);
  return uint64_t{is_one(alpha)} << kAlphaIsOne | static_cast<uint64_t>(kind) << kBeta;
}

constexpr Spelling spelling(uint64_t traits) {
  const auto byte = [traits](int shift) { return static_cast<int32_t>(traits >> shift & 0xff); };
  return {byte(0), byte(kTransposeA), byte(kTransposeB)};
}
constexpr Symbol symbol(uint64_t traits) {
  return static_cast<Symbol>(traits >> kSymbol & 0xff);
}
constexpr uint64_t only_scalars(uint64_t traits) {
  return traits & (uint64_t{7} << kAlphaIsOne);
}
constexpr bool alpha_is_one(uint64_t traits) {
  return (traits >> kAlphaIsOne & 1) != 0;
}
constexpr BetaKind beta(uint64_t traits) {
  return static_cast<BetaKind>(traits >> kBeta & 3);
}
constexpr bool is_aligned(uint64_t traits) {
  return (traits >> kAligned & 1) != 0;
}
constexpr int threads(uint64_t traits) {
  return static_cast<int>(traits >> kThreads & kMaxThreads);
}
constexpr uint64_t with_threads(uint64_t traits, int threads) {
  return (traits & ~(uint64_t{kMaxThreads} << kThreads)) | static_cast<uint64_t>(threads)
                                                               << kThreads;
}
constexpr uint16_t vendor(uint64_t traits) {
  return static_cast<uint16_t>(traits >> kVendor);
}

}  // namespace call_traits

}  // namespace triode::host
