// SPDX-License-Identifier: Apache-2.0
#include "jit/x86/packing.h"

#include <immintrin.h>

#include <algorithm>
#include <cstring>

#include "jit/x86/transpose_sixteen_rows.h"

// These functions run only on processors for which runnable_isas() is not empty.
#define TRIODE_AVX2 __attribute__((target("avx2")))

namespace triode::x86 {
namespace {

const unsigned char* at(const void* base, int64_t offset) {
  return static_cast<const unsigned char*>(base) + offset;
}
unsigned char* at(void* base, int64_t offset) {
  return static_cast<unsigned char*>(base) + offset;
}

// Copies a row by whole vectors; the last one overlaps the one before it, so that no byte past the
// end is touched.
TRIODE_AVX2 inline void copy_row(const unsigned char* from, int64_t bytes, unsigned char* to) {
  if (bytes < 32) {
    std::memcpy(to, from, static_cast<size_t>(bytes));
    return;
  }
  int64_t done = 0;
  for (; done + 32 <= bytes; done += 32) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + done),
                        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + done)));
  }
  if (done < bytes) {
    const int64_t last = bytes - 32;
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + last),
                        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + last)));
  }
}

// The halves of two rows four apart share a register from the load on, which spares the shuffles
// that cross halves: there is one port for those, and two for the others.
TRIODE_AVX2 inline __m256 load_halves(const unsigned char* low, int64_t row_bytes) {
  const __m128 first = _mm_loadu_ps(reinterpret_cast<const float*>(low));
  const __m128 second = _mm_loadu_ps(reinterpret_cast<const float*>(low + 4 * row_bytes));
  return _mm256_insertf128_ps(_mm256_castps128_ps256(first), second, 1);
}

// Four columns of eight rows become four rows. Written out, here and below: a loop over an array of
// vectors goes through memory at -O2, which takes about twice as long.
TRIODE_AVX2 inline void transpose_8x4(const unsigned char* from, int64_t from_row_bytes,
                                      unsigned char* to, int64_t to_row_bytes) {
  const __m256 r0 = load_halves(from, from_row_bytes);
  const __m256 r1 = load_halves(from + from_row_bytes, from_row_bytes);
  const __m256 r2 = load_halves(from + 2 * from_row_bytes, from_row_bytes);
  const __m256 r3 = load_halves(from + 3 * from_row_bytes, from_row_bytes);
  const __m256 t0 = _mm256_unpacklo_ps(r0, r1);
  const __m256 t1 = _mm256_unpackhi_ps(r0, r1);
  const __m256 t2 = _mm256_unpacklo_ps(r2, r3);
  const __m256 t3 = _mm256_unpackhi_ps(r2, r3);
  const auto out = [&](int64_t row) { return reinterpret_cast<float*>(to + row * to_row_bytes); };
  _mm256_storeu_ps(out(0), _mm256_shuffle_ps(t0, t2, 0x44));
  _mm256_storeu_ps(out(1), _mm256_shuffle_ps(t0, t2, 0xEE));
  _mm256_storeu_ps(out(2), _mm256_shuffle_ps(t1, t3, 0x44));
  _mm256_storeu_ps(out(3), _mm256_shuffle_ps(t1, t3, 0xEE));
}

TRIODE_AVX2 inline void transpose_8x8(const unsigned char* from, int64_t from_row_bytes,
                                      unsigned char* to, int64_t to_row_bytes) {
  transpose_8x4(from, from_row_bytes, to, to_row_bytes);
  transpose_8x4(from + 16, from_row_bytes, to + 4 * to_row_bytes, to_row_bytes);
}

TRIODE_AVX2 inline __m256d load_row(const unsigned char* from) {
  return _mm256_loadu_pd(reinterpret_cast<const double*>(from));
}

TRIODE_AVX2 inline void transpose_4x4(const unsigned char* from, int64_t from_row_bytes,
                                      unsigned char* to, int64_t to_row_bytes) {
  const __m256d r0 = load_row(from);
  const __m256d r1 = load_row(from + from_row_bytes);
  const __m256d r2 = load_row(from + 2 * from_row_bytes);
  const __m256d r3 = load_row(from + 3 * from_row_bytes);
  const __m256d t0 = _mm256_unpacklo_pd(r0, r1);
  const __m256d t1 = _mm256_unpackhi_pd(r0, r1);
  const __m256d t2 = _mm256_unpacklo_pd(r2, r3);
  const __m256d t3 = _mm256_unpackhi_pd(r2, r3);
  const auto out = [&](int64_t row) { return reinterpret_cast<double*>(to + row * to_row_bytes); };
  _mm256_storeu_pd(out(0), _mm256_permute2f128_pd(t0, t2, 0x20));
  _mm256_storeu_pd(out(1), _mm256_permute2f128_pd(t1, t3, 0x20));
  _mm256_storeu_pd(out(2), _mm256_permute2f128_pd(t0, t2, 0x31));
  _mm256_storeu_pd(out(3), _mm256_permute2f128_pd(t1, t3, 0x31));
}

// Whole squares side by side. Not to be merged into its callers, whose loops would take the
// registers its addresses need.
template <int64_t kSide, auto kSquare>
[[gnu::noinline]] TRIODE_AVX2 void transpose_squares(const unsigned char* from,
                                                     int64_t from_row_bytes, int64_t squares,
                                                     unsigned char* to, int64_t to_row_bytes) {
  for (; squares > 0; --squares) {
    kSquare(from, from_row_bytes, to, to_row_bytes);
    from += 32;
    to += kSide * to_row_bytes;
  }
}

// Columns that are turned before the next rows are: four lines of each row.
constexpr int64_t kStripBytes = 256;

// A strip that lacks rows, or columns of its last square, by way of the stack, where zeros stand
// for missing rows.
template <int64_t kSide, auto kSquare>
TRIODE_AVX2 void transpose_part(const unsigned char* from, int64_t from_row_bytes, int64_t rows,
                                int64_t columns, unsigned char* to, int64_t to_row_bytes) {
  constexpr int64_t kElement = 32 / kSide;
  alignas(32) unsigned char strip[kSide * kStripBytes];
  for (int64_t r = 0; r < kSide; ++r) {
    unsigned char* const row = strip + r * kStripBytes;
    if (r < rows) {
      copy_row(from + r * from_row_bytes, columns * kElement, row);
    } else {
      std::memset(row, 0, kStripBytes);
    }
  }
  const int64_t squares = columns / kSide;
  transpose_squares<kSide, kSquare>(strip, kStripBytes, squares, to, to_row_bytes);
  const int64_t done = squares * kSide;
  if (done == columns) return;
  alignas(32) unsigned char turned[kSide * 32];
  kSquare(strip + squares * 32, kStripBytes, turned, 32);
  for (int64_t c = done; c < columns; ++c) {
    std::memcpy(to + c * to_row_bytes, turned + (c - done) * 32, 32);
  }
}

// Rows of one square, of which `rows` are there (none or fewer: zeros), and at most kStripBytes of
// each.
template <int64_t kSide, auto kSquare>
TRIODE_AVX2 void transpose_strip(const unsigned char* from, int64_t from_row_bytes, int64_t rows,
                                 int64_t columns, unsigned char* to, int64_t to_row_bytes) {
  if (rows <= 0) {
    for (int64_t c = 0; c < columns; ++c) std::memset(to + c * to_row_bytes, 0, 32);
    return;
  }
  const int64_t squares = rows >= kSide ? columns / kSide : 0;
  transpose_squares<kSide, kSquare>(from, from_row_bytes, squares, to, to_row_bytes);
  const int64_t done = squares * kSide;
  if (done == columns) return;
  transpose_part<kSide, kSquare>(from + squares * 32, from_row_bytes, std::min(kSide, rows),
                                 columns - done, to + done * to_row_bytes, to_row_bytes);
}

// Rows that lie this far apart are on pages of their own, and more of them than the hardware's
// prefetchers follow. Turning a block of a 2048 x 2048 matrix took 0.6 to 0.8 of the time if
// fetched ahead; one whose rows are closer, 5 % longer.
constexpr int64_t kFarApartBytes = 4096;

// kStripBytes of each row, into L1.
void fetch_rows(const unsigned char* from, int64_t from_row_bytes, int64_t rows) {
  for (int64_t r = 0; r < rows; ++r) {
    // The last byte of each line's worth: rows that start inside a line reach one line further.
    for (int64_t byte = 63; byte < kStripBytes; byte += 64) {
      _mm_prefetch(reinterpret_cast<const char*>(from + r * from_row_bytes + byte), _MM_HINT_T0);
    }
  }
}

// A cache line's worth of rows and a few lines of columns at a time: each line of `from` is read
// once, even where rows lie a power of two apart and push each other out of L1, and each line of
// `to` is filled while it is in L1.
template <int64_t kSide, auto kSquare>
void transpose_lines(const unsigned char* from, int64_t from_row_bytes, int64_t rows,
                     int64_t columns, unsigned char* to, int64_t to_row_bytes, int64_t width,
                     int64_t vector_bytes) {
  constexpr int64_t kElement = 32 / kSide;
  constexpr int64_t kLine = 64 / kElement;
  constexpr int64_t kColumns = kStripBytes / kElement;  // a line takes half as long again
  for (int64_t r0 = 0; r0 < width; r0 += kLine) {
    const int64_t r_end = std::min(r0 + kLine, width);
    for (int64_t c = 0; c < columns; c += kColumns) {
      if (from_row_bytes >= kFarApartBytes) {
        const bool goes_on = c + kColumns < columns;
        const int64_t next = goes_on ? r0 : r0 + kLine;
        fetch_rows(from + next * from_row_bytes + (goes_on ? (c + kColumns) * kElement : 0),
                   from_row_bytes, std::min(kLine, rows - next));
      }
      const int64_t c_end = std::min(c + kColumns, columns);
      int64_t done = c;
      if (kElement == 4 && vector_bytes == 64 && r0 + kLine <= rows) {
        done +=
            transpose_sixteen_rows(from + r0 * from_row_bytes + c * kElement, from_row_bytes,
                                   c_end - c, to + c * to_row_bytes + r0 * kElement, to_row_bytes);
      }
      if (done == c_end) continue;
      for (int64_t r = r0; r < r_end; r += kSide) {
        transpose_strip<kSide, kSquare>(from + r * from_row_bytes + done * kElement, from_row_bytes,
                                        rows - r, c_end - done,
                                        to + done * to_row_bytes + r * kElement, to_row_bytes);
      }
    }
  }
}

// Up to so many columns are moved element by element: squares would turn mostly what is not there.
constexpr int64_t kFewColumns = 4;

template <typename T>
void transpose_few(const unsigned char* from, int64_t from_row_bytes, int64_t rows, int64_t columns,
                   unsigned char* to, int64_t to_row_bytes, int64_t width) {
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      std::memcpy(to + c * to_row_bytes + r * int64_t{sizeof(T)},
                  from + r * from_row_bytes + c * int64_t{sizeof(T)}, sizeof(T));
    }
  }
  constexpr int64_t kVector = 32 / int64_t{sizeof(T)};
  const int64_t filled = (width + kVector - 1) / kVector * kVector;
  if (filled <= rows) return;
  for (int64_t c = 0; c < columns; ++c) {
    std::memset(to + c * to_row_bytes + rows * int64_t{sizeof(T)}, 0,
                static_cast<size_t>(filled - rows) * sizeof(T));
  }
}

// Zeroes the last vector of each row of a panel: all of it, since vectors are of few sizes.
TRIODE_AVX2 void zero_last_vectors(unsigned char* panel, int64_t k, int64_t row_bytes,
                                   int64_t vector_bytes) {
  for (int64_t p = 0; p < k; ++p) {
    for (int64_t byte = vector_bytes; byte > 0; byte -= 32) {
      std::memset(panel + (p + 1) * row_bytes - byte, 0, 32);
    }
  }
}

}  // namespace

TRIODE_AVX2 void copy_rows(const void* from, int64_t from_row_bytes, int64_t rows,
                           int64_t row_bytes, void* to, int64_t to_row_bytes) {
  for (int64_t r = 0; r < rows; ++r) {
    copy_row(at(from, r * from_row_bytes), row_bytes, at(to, r * to_row_bytes));
  }
}

void transpose(const void* from, int64_t from_row_bytes, int64_t rows, int64_t columns,
               int64_t element_bytes, void* to, int64_t to_row_bytes, int64_t width,
               int64_t vector_bytes) {
  if (columns <= kFewColumns) {
    const auto few = element_bytes == 8 ? transpose_few<double> : transpose_few<float>;
    few(at(from, 0), from_row_bytes, rows, columns, at(to, 0), to_row_bytes, width);
  } else if (element_bytes == 8) {
    transpose_lines<4, transpose_4x4>(at(from, 0), from_row_bytes, rows, columns, at(to, 0),
                                      to_row_bytes, width, vector_bytes);
  } else {
    transpose_lines<8, transpose_8x8>(at(from, 0), from_row_bytes, rows, columns, at(to, 0),
                                      to_row_bytes, width, vector_bytes);
  }
}

PanelLayout::Panel PanelLayout::panel(int64_t index) const {
  const int64_t column = index * panel_columns;
  const int64_t offset_bytes = column * k * element_bytes;
  if (column + panel_columns <= n) {
    return {column, panel_columns, panel_columns * element_bytes, offset_bytes};
  }
  const int64_t columns = n - column;
  return {column, columns, (columns + lanes - 1) / lanes * lanes * element_bytes, offset_bytes};
}

int64_t PanelLayout::size_bytes() const {
  const Panel last = panel(panels() - 1);
  return last.offset_bytes + k * last.row_bytes;
}

void pack_panels(const PanelLayout& layout, const void* b, int64_t b_row_bytes, void* to) {
  const int64_t panels = layout.panels();
  const PanelLayout::Panel last = layout.panel(panels - 1);
  if (last.columns * layout.element_bytes < last.row_bytes) {
    zero_last_vectors(at(to, last.offset_bytes), layout.k, last.row_bytes,
                      layout.lanes * layout.element_bytes);
  }
  // A few rows of b at a time over all panels: whole lines of b are used while they are in L1.
  constexpr int64_t kRowsAtOnce = 8;
  for (int64_t k0 = 0; k0 < layout.k; k0 += kRowsAtOnce) {
    const int64_t rows = std::min(kRowsAtOnce, layout.k - k0);
    for (int64_t i = 0; i < panels; ++i) {
      const PanelLayout::Panel panel = layout.panel(i);
      copy_rows(at(b, k0 * b_row_bytes + panel.column * layout.element_bytes), b_row_bytes, rows,
                panel.columns * layout.element_bytes,
                at(to, panel.offset_bytes + k0 * panel.row_bytes), panel.row_bytes);
    }
  }
}

void pack_panels_transposed(const PanelLayout& layout, const void* b, int64_t b_row_bytes,
                            void* to) {
  for (int64_t i = 0; i < layout.panels(); ++i) {
    const PanelLayout::Panel panel = layout.panel(i);
    transpose(at(b, panel.column * b_row_bytes), b_row_bytes, panel.columns, layout.k,
              layout.element_bytes, at(to, panel.offset_bytes), panel.row_bytes,
              panel.row_bytes / layout.element_bytes, layout.lanes * layout.element_bytes);
  }
}

}  // namespace triode::x86
