// SPDX-License-Identifier: Apache-2.0
// Internal to learner/model: the loops of block_kernels.h over one width of vectors. Included by
// one file for each width, which is compiled for it; everything is in an anonymous namespace and
// nothing of the standard library is called, so that no code of a wide file can be linked into
// another.
#pragma once

#include <cstddef>
#include <cstdint>

#include "learner/model/block_kernels.h"

namespace triode {
namespace {

#if defined(__AVX512F__)
constexpr size_t kVectorBytes = 64;
constexpr size_t kColumnVectors = 4;
#elif defined(__AVX2__)
constexpr size_t kVectorBytes = 32;
constexpr size_t kColumnVectors = 2;
#else
constexpr size_t kVectorBytes = 16;
constexpr size_t kColumnVectors = 2;
#endif
// Sums in registers: kRowTile x kColumnVectors, enough to hide the latency of a multiply-add.
constexpr int32_t kRowTile = 4;

using Vector = float __attribute__((vector_size(kVectorBytes), aligned(4), may_alias));
using IntVector = int32_t __attribute__((vector_size(kVectorBytes)));
constexpr size_t kWidth = kVectorBytes / sizeof(float);
static_assert(kBlockColumns % (kWidth * kColumnVectors) == 0);

#define TRIODE_INLINE inline __attribute__((always_inline))

TRIODE_INLINE void choose_if_less(const Vector& a, const Vector& b, const Vector& then, Vector& x) {
  x = a < b ? then : x;
}

// e^x, to about 2e-7 of it, for x from -87 to 87.
TRIODE_INLINE void exp_in_place(Vector& x) {
  const Vector zero = {};
  choose_if_less(x, zero - 87.0f, zero - 87.0f, x);
  choose_if_less(zero + 87.0f, x, zero + 87.0f, x);
  // 2^23 * 1.5: adding it rounds to a whole number.
  const Vector magic = zero + 12582912.0f;
  const Vector whole = (x * 1.44269504088896341f + magic) - magic;
  const Vector r = (x - whole * 0.693359375f) + whole * 2.12194440e-4f;
  Vector p = zero + 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  const IntVector power = (__builtin_convertvector(whole, IntVector) + 127) << 23;
  x = p * (Vector)power;
}

TRIODE_INLINE void activate(BlockActivation activation, Vector& x) {
  const Vector zero = {};
  if (activation == BlockActivation::kRelu) {
    choose_if_less(x, zero, zero, x);
  } else if (activation == BlockActivation::kSilu) {
    Vector e = -x;
    exp_in_place(e);
    x = x / (e + 1.0f);
  }
}

// kRows rows of the result, for a few vectors of columns.
template <int32_t kRows>
TRIODE_INLINE void dense_tile(const DenseCall& call, int32_t row, size_t column) {
  Vector sums[kRows][kColumnVectors];
#pragma GCC unroll 4
  for (int32_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (size_t v = 0; v < kColumnVectors; ++v) sums[r][v] = Vector{} + call.bias[row + r];
  }
  const float* weights = call.weights + static_cast<size_t>(row) * call.inputs;
  const float* in = call.in + column;
  for (int32_t i = 0; i < call.inputs; ++i, in += kBlockColumns) {
#pragma GCC unroll 4
    for (int32_t r = 0; r < kRows; ++r) {
      const float weight = weights[static_cast<size_t>(r) * call.inputs + i];
#pragma GCC unroll 4
      for (size_t v = 0; v < kColumnVectors; ++v) {
        sums[r][v] += weight * *reinterpret_cast<const Vector*>(in + v * kWidth);
      }
    }
  }
#pragma GCC unroll 4
  for (int32_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (size_t v = 0; v < kColumnVectors; ++v) {
      activate(call.activation, sums[r][v]);
      float* out = call.out + static_cast<size_t>(row + r) * kBlockColumns + column + v * kWidth;
      *reinterpret_cast<Vector*>(out) = sums[r][v];
    }
  }
}

void dense(const DenseCall& call) {
  for (size_t column = 0; column < kBlockColumns; column += kWidth * kColumnVectors) {
    int32_t row = 0;
    for (; row + kRowTile <= call.outputs; row += kRowTile) {
      dense_tile<kRowTile>(call, row, column);
    }
    for (; row < call.outputs; ++row) dense_tile<1>(call, row, column);
  }
}

void standardise(const StandardiseCall& call) {
  const Vector high = Vector{} + call.clip;
  for (int32_t row = 0; row < call.rows; ++row) {
    const float mean = call.mean[row];
    const float scale = call.scale[row];
    for (size_t column = 0; column < kBlockColumns; column += kWidth) {
      const size_t at = static_cast<size_t>(row) * kBlockColumns + column;
      Vector x = (*reinterpret_cast<const Vector*>(call.in + at) - mean) * scale;
      choose_if_less(high, x, high, x);
      choose_if_less(x, -high, -high, x);
      *reinterpret_cast<Vector*>(call.out + at) = x;
    }
  }
}

#undef TRIODE_INLINE

}  // namespace
}  // namespace triode
