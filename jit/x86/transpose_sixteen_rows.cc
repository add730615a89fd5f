// SPDX-License-Identifier: Apache-2.0
#include "jit/x86/transpose_sixteen_rows.h"

#include <immintrin.h>

#define TRIODE_AVX512 __attribute__((target("avx512f")))

namespace triode::x86 {
namespace {

// Of all lanes: without a mask, GCC 12 warns of its own header (bug 105593).
constexpr __mmask16 kAll = 0xFFFF;

TRIODE_AVX512 inline __m256d load_row(const unsigned char* from) {
  return _mm256_loadu_pd(reinterpret_cast<const double*>(from));
}

// The 32 bytes of two rows eight apart in one register.
TRIODE_AVX512 inline __m512 load_rows(const unsigned char* low, int64_t row_bytes) {
  const __m512d first = _mm512_castpd256_pd512(load_row(low));
  return _mm512_castpd_ps(_mm512_maskz_insertf64x4(0xFF, first, load_row(low + 8 * row_bytes), 1));
}

// Eight columns of sixteen rows become eight rows: 0.13 cycles per element in L1 of a Zen 5, where
// squares of eight take 0.19. Four rows of `low` and the four below them, of both halves, meet at
// the end.
TRIODE_AVX512 inline void transpose_16x8(const unsigned char* from, int64_t from_row_bytes,
                                         unsigned char* to, int64_t to_row_bytes) {
  struct Quarters {
    __m512 c0, c1, c2, c3;  // column i of four rows, and column 4 + i
  };
  const auto turn = [&](int64_t row) TRIODE_AVX512 {
    const unsigned char* const first = from + row * from_row_bytes;
    const __m512 r0 = load_rows(first, from_row_bytes);
    const __m512 r1 = load_rows(first + from_row_bytes, from_row_bytes);
    const __m512 r2 = load_rows(first + 2 * from_row_bytes, from_row_bytes);
    const __m512 r3 = load_rows(first + 3 * from_row_bytes, from_row_bytes);
    const __m512 t0 = _mm512_maskz_unpacklo_ps(kAll, r0, r1);
    const __m512 t1 = _mm512_maskz_unpackhi_ps(kAll, r0, r1);
    const __m512 t2 = _mm512_maskz_unpacklo_ps(kAll, r2, r3);
    const __m512 t3 = _mm512_maskz_unpackhi_ps(kAll, r2, r3);
    return Quarters{
        _mm512_maskz_shuffle_ps(kAll, t0, t2, 0x44), _mm512_maskz_shuffle_ps(kAll, t0, t2, 0xEE),
        _mm512_maskz_shuffle_ps(kAll, t1, t3, 0x44), _mm512_maskz_shuffle_ps(kAll, t1, t3, 0xEE)};
  };
  const __m512i left = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
  const __m512i right = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
  const auto store = [&](int64_t column, __m512 x, __m512 y) TRIODE_AVX512 {
    const __m512d upper = _mm512_castps_pd(x), lower = _mm512_castps_pd(y);
    _mm512_storeu_pd(to + column * to_row_bytes, _mm512_permutex2var_pd(upper, left, lower));
    _mm512_storeu_pd(to + (4 + column) * to_row_bytes, _mm512_permutex2var_pd(upper, right, lower));
  };
  const Quarters upper = turn(0), lower = turn(4);
  store(0, upper.c0, lower.c0);
  store(1, upper.c1, lower.c1);
  store(2, upper.c2, lower.c2);
  store(3, upper.c3, lower.c3);
}

}  // namespace

TRIODE_AVX512 int64_t transpose_sixteen_rows(const unsigned char* from, int64_t from_row_bytes,
                                             int64_t columns, unsigned char* to,
                                             int64_t to_row_bytes) {
  const int64_t done = columns / 8 * 8;
  for (int64_t c = 0; c < done; c += 8) {
    transpose_16x8(from + c * 4, from_row_bytes, to + c * to_row_bytes, to_row_bytes);
  }
  return done;
}

}  // namespace triode::x86
