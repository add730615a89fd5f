// SPDX-License-Identifier: Apache-2.0
// Internal to learner/model.
#pragma once

#include <xmmintrin.h>

#include <cstdint>

namespace triode {

// Four floats that are computed on together. Plain SSE2 wherever it runs, without contraction, so
// that a feature has the same bits on every machine.
using Lanes = float __attribute__((vector_size(16)));
using IntLanes = int32_t __attribute__((vector_size(16)));
inline constexpr int kLanes = 4;

inline Lanes broadcast(double value) {
  const auto v = static_cast<float>(value);
  return Lanes{v, v, v, v};
}

// mask ? a : b, where a lane of the mask is all ones or zero.
inline Lanes choose(IntLanes mask, Lanes a, Lanes b) {
  return (Lanes)(((IntLanes)a & mask) | ((IntLanes)b & ~mask));
}
inline Lanes one_if(IntLanes mask) {
  return (Lanes)((IntLanes)broadcast(1) & mask);
}

inline Lanes smaller(Lanes a, Lanes b) {
  return _mm_min_ps(a, b);
}
inline Lanes larger(Lanes a, Lanes b) {
  return _mm_max_ps(a, b);
}

// For values from 0 up.
inline Lanes floor_of(Lanes x) {
  const Lanes truncated = __builtin_convertvector(__builtin_convertvector(x, IntLanes), Lanes);
  return choose(x < broadcast(8388608), truncated, x);  // from 2^23 on every float is whole
}
inline Lanes ceil_of(Lanes x) {
  const Lanes down = floor_of(x);
  return down + one_if(down < x);
}

// log2(max(x, 1e-12)), to about 2e-7; exact for powers of two.
inline Lanes log2_of(Lanes x) {
  x = larger(x, broadcast(1e-12));
  const IntLanes bits = (IntLanes)x;
  // Mantissas from sqrt(1/2) to sqrt(2), so that the series below is short.
  const IntLanes exponent = (bits - 0x3f3504f3) >> 23;
  const Lanes mantissa = (Lanes)(bits - (exponent << 23));
  // log2(m) = 2/ln2 * atanh((m-1)/(m+1)); the next term is below 2e-9.
  const Lanes s = (mantissa - 1.0f) / (mantissa + 1.0f);
  const Lanes z = s * s;
  const Lanes series = 1.0f + z * (1.0f / 3 + z * (1.0f / 5 + z * (1.0f / 7 + z * (1.0f / 9))));
  return __builtin_convertvector(exponent, Lanes) + 2.8853900817779268f * s * series;
}

inline Lanes sqrt_of(Lanes x) {
  return _mm_sqrt_ps(x);
}

}  // namespace triode
