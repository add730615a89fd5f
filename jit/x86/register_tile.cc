// SPDX-License-Identifier: Apache-2.0
#include "jit/x86/register_tile.h"

#include <algorithm>

namespace triode::x86 {

int32_t vectors_per_row(const VectorIsa& isa, DType dtype, int64_t columns) {
  const int64_t lanes = isa.lanes(size_bytes(dtype));
  return static_cast<int32_t>((columns + lanes - 1) / lanes);
}

int32_t tallest_outer_tile(const VectorIsa& isa, int32_t vectors, bool mask_in_register) {
  const int32_t registers = isa.register_count - (mask_in_register && !isa.has_opmask ? 1 : 0);
  // With one vector and memory operands that repeat an element, a needs no register at all.
  if (vectors == 1 && isa.has_opmask) return registers - 1;
  int32_t rows = 0;
  // One side of the tile is held whole, the other passes through one register.
  while ((rows + 1) * vectors + std::min(rows + 1, vectors) + 1 <= registers) ++rows;
  return rows;
}

bool pairs_rows(const VectorIsa& isa, DType dtype, int32_t columns) {
  return isa.has_opmask && columns * 2 == isa.lanes(size_bytes(dtype));
}

int32_t tallest_paired_tile(const VectorIsa& isa) {
  const int32_t pairs = (isa.register_count - 2) / 2;
  return 2 * pairs;
}

bool dot_tile_fits(const VectorIsa& isa, int32_t rows, int32_t columns) {
  const int32_t mask = isa.has_opmask ? 0 : 1;
  return rows * columns + std::min(rows, columns) + 1 + mask <= isa.register_count;
}

std::vector<RowGroup> cut_rows(int64_t rows, int32_t height, RowTiles how) {
  std::vector<RowGroup> groups;
  if (rows <= 0) return groups;
  const int64_t tiles = (rows + height - 1) / height;
  if (how == RowTiles::kBalanced) {
    const auto low = static_cast<int32_t>(rows / tiles);
    const int64_t taller = rows % tiles;
    if (taller > 0) groups.push_back({low + 1, taller});
    groups.push_back({low, tiles - taller});
    return groups;
  }
  if (rows >= height) groups.push_back({height, rows / height});
  if (rows % height > 0) groups.push_back({static_cast<int32_t>(rows % height), 1});
  return groups;
}

}  // namespace triode::x86
