// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace triode::x86 {

// Moving blocks of matrices into the order the kernels read them in. Elements are 4 or 8 bytes;
// strides are in bytes. Needs AVX2; where vectors of 64 bytes are named, AVX-512 F. Nothing outside
// the named rows and columns is read.

// Rows one after the other at another distance.
void copy_rows(const void* from, int64_t from_row_bytes, int64_t rows, int64_t row_bytes, void* to,
               int64_t to_row_bytes);

// to(c, r) = from(r, c) for a rows x columns block. Rows of `to` are filled up with zeros to
// `width` elements, or a few more: to whole vectors of 32 bytes, for which they must have room.
// `vector_bytes`: of the widest vectors to use, 32 or 64.
void transpose(const void* from, int64_t from_row_bytes, int64_t rows, int64_t columns,
               int64_t element_bytes, void* to, int64_t to_row_bytes, int64_t width,
               int64_t vector_bytes);

// How a k x n block of b lies in panels: panel after panel, each k rows of `panel_columns`
// elements; the last panel only as wide as whole vectors demand, its unused lanes zero. `to` is
// aligned to 64 bytes.
struct PanelLayout {
  int64_t k;
  int64_t n;
  int64_t panel_columns;
  int64_t lanes;
  int64_t element_bytes;

  // One panel of them.
  struct Panel {
    int64_t column;     // of b, where it begins
    int64_t columns;    // of b, in it
    int64_t row_bytes;  // padding included
    int64_t offset_bytes;
  };

  int64_t panels() const { return (n + panel_columns - 1) / panel_columns; }
  Panel panel(int64_t index) const;
  int64_t size_bytes() const;
};

// From b stored k x n, or stored n x k (transposed).
void pack_panels(const PanelLayout& layout, const void* b, int64_t b_row_bytes, void* to);
void pack_panels_transposed(const PanelLayout& layout, const void* b, int64_t b_row_bytes,
                            void* to);

}  // namespace triode::x86
