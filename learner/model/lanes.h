// SPDX-License-Identifier: Apache-2.0
// Internal to learner/model.
#pragma once

#include <immintrin.h>

#include <cstdint>

// A file compiled for wider vectors sees wider lanes, and everything made of them under another
// name, so that no two files mean different things by one.
#if defined(__AVX512F__)
#define TRIODE_LANES_NAMESPACE lanes_16
#define TRIODE_LANES_COUNT 16
#elif defined(__AVX2__)
#define TRIODE_LANES_NAMESPACE lanes_8
#define TRIODE_LANES_COUNT 8
#else
#define TRIODE_LANES_NAMESPACE lanes_4
#define TRIODE_LANES_COUNT 4
#endif

namespace triode {
inline namespace TRIODE_LANES_NAMESPACE {

// Floats that are computed on together: four, or as many as the file is compiled for. Every step is
// rounded as it stands, without contraction, so that a feature has the same bits on every machine.
inline constexpr int kLanes = TRIODE_LANES_COUNT;
using Lanes = float __attribute__((vector_size(4 * TRIODE_LANES_COUNT)));
using IntLanes = int32_t __attribute__((vector_size(4 * TRIODE_LANES_COUNT)));

inline Lanes broadcast(double value) {
  return Lanes{} + static_cast<float>(value);
}

// mask ? a : b, where a lane of the mask is all ones or zero.
inline Lanes choose(IntLanes mask, Lanes a, Lanes b) {
  return (Lanes)(((IntLanes)a & mask) | ((IntLanes)b & ~mask));
}
inline Lanes one_if(IntLanes mask) {
  return (Lanes)((IntLanes)broadcast(1) & mask);
}

// The masks are those of all lanes: without one, GCC 12 warns of its own header (bug 105593).
inline Lanes smaller(Lanes a, Lanes b) {
#if TRIODE_LANES_COUNT == 16
  return _mm512_maskz_min_ps(0xffff, a, b);
#elif TRIODE_LANES_COUNT == 8
  return _mm256_min_ps(a, b);
#else
  return _mm_min_ps(a, b);
#endif
}
inline Lanes larger(Lanes a, Lanes b) {
#if TRIODE_LANES_COUNT == 16
  return _mm512_maskz_max_ps(0xffff, a, b);
#elif TRIODE_LANES_COUNT == 8
  return _mm256_max_ps(a, b);
#else
  return _mm_max_ps(a, b);
#endif
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
#if TRIODE_LANES_COUNT == 16
  return _mm512_maskz_sqrt_ps(0xffff, x);
#elif TRIODE_LANES_COUNT == 8
  return _mm256_sqrt_ps(x);
#else
  return _mm_sqrt_ps(x);
#endif
}

}  // namespace TRIODE_LANES_NAMESPACE
}  // namespace triode
