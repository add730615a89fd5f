// SPDX-License-Identifier: Apache-2.0
#include "jit/x86/outer_kernel_emitter.h"

#include <algorithm>

#include "jit/x86/kernel_registers.h"
#include "jit/x86/register_tile.h"

namespace triode::x86 {

using namespace registers;

namespace {

constexpr int64_t kCacheLineBytes = 64;

// Copies of a tile's code that differ in the rows of the next panel they fetch.
constexpr int32_t kMaxFetchVariants = 4;

}  // namespace

OuterKernelEmitter::OuterKernelEmitter(SimdEmitter& simd, const KernelSpec& spec)
    : simd_(simd), spec_(spec), tile_(simd, spec) {
  const int32_t lanes = simd_.lanes();
  const int32_t vectors = spec_.nr / lanes;
  const auto left = static_cast<int32_t>(spec_.n % spec_.nr);
  if (spec_.n >= spec_.nr) groups_.push_back({vectors, 0, spec_.n / spec_.nr});
  if (left > 0) groups_.push_back({(left + lanes - 1) / lanes, left % lanes, 1});
}

void OuterKernelEmitter::emit() {
  if (spec_.order == LoopOrder::kColumnsOuter) {
    emit_columns_outer();
  } else {
    emit_rows_outer();
  }
  if (spec_.stores == StoreKind::kStreaming) simd_.assembler().sfence();
}

int64_t OuterKernelEmitter::panel_columns_bytes(const PanelGroup& group) const {
  return group.vectors * simd_.isa().vector_bytes;
}

int64_t OuterKernelEmitter::panel_bytes(const PanelGroup& group) const {
  const bool packed = spec_.b_layout == BLayout::kPanels;
  return packed ? spec_.k * panel_columns_bytes(group) : panel_columns_bytes(group);
}

OuterTileEmitter::Panel OuterKernelEmitter::panel_of(const PanelGroup& group) const {
  const bool packed = spec_.b_layout == BLayout::kPanels;
  const int64_t row_bytes = packed ? panel_columns_bytes(group) : spec_.b_row_bytes;
  return {kB, row_bytes, packed, false, packed ? 0 : spec_.prefetch_b};
}

// A narrower last panel takes a taller tile, since its rows need fewer registers.
int32_t OuterKernelEmitter::tile_height(const PanelGroup& group) const {
  const bool mask = group.partial_lanes > 0 && spec_.b_layout != BLayout::kPanels;
  const int32_t tallest = tallest_outer_tile(simd_.isa(), group.vectors, mask);
  const bool narrow = group.vectors < spec_.nr / simd_.lanes();
  return narrow ? tallest : std::min(spec_.mr, tallest);
}

void OuterKernelEmitter::emit_columns_outer() {
  for (const PanelGroup& group : groups_) {
    simd_.repeat(kColumns, group.count, [&] {
      emit_panel(group);
      simd_.advance(kA, -spec_.m * spec_.a_row_bytes);
      simd_.advance(kC, panel_columns_bytes(group) - spec_.m * spec_.c_row_bytes);
      simd_.advance(kB, panel_bytes(group));
    });
  }
}

void OuterKernelEmitter::emit_panel(const PanelGroup& group) {
  auto tiles = cut_rows(spec_.m, tile_height(group), spec_.rows);
  const OuterTileEmitter::Panel in_place = panel_of(group);
  OuterTileEmitter::Panel rest = in_place;
  const bool is_single = tiles.size() == 1 && tiles[0].count == 1;
  const bool first_differs =
      !is_single && (spec_.b_layout == BLayout::kStridedAndPacked || in_place.prefetch_rows > 0);
  if (first_differs) {
    OuterTileEmitter::Panel first = in_place;
    first.store_packed = spec_.b_layout == BLayout::kStridedAndPacked;
    tile_.emit({tiles[0].height, group.vectors, group.partial_lanes}, first);
    if (--tiles[0].count == 0) tiles.erase(tiles.begin());
    rest.prefetch_rows = 0;
    if (first.store_packed) rest = {kWorkspace, panel_columns_bytes(group), true, false, 0};
  }
  if (spec_.prefetch_panel != 0 && first_differs && has_next(group)) {
    emit_fetching_tiles(group, rest, tiles.front());
    if (tiles.front().count == 0) tiles.erase(tiles.begin());
  }
  for (const RowGroup& rows : tiles) {
    simd_.repeat(kRows, rows.count, [&] {
      tile_.emit({rows.height, group.vectors, group.partial_lanes}, rest);
    });
  }
}

bool OuterKernelEmitter::has_next(const PanelGroup& group) const {
  return group.count > 1 || &group != &groups_.back();
}

// The first tiles of `rows`, which fetch the next panel: each a line, or as many more as it takes,
// of every row, or of every second or fourth if there are tiles enough for the others. Spread over
// as many tiles as can be, since memory gives no more than a few bytes in a cycle.
void OuterKernelEmitter::emit_fetching_tiles(const PanelGroup& group, OuterTileEmitter::Panel panel,
                                             RowGroup& rows) {
  const int64_t lines = (panel_columns_bytes(group) + kCacheLineBytes - 1) / kCacheLineBytes;
  panel.next_panel_lines = static_cast<int32_t>((lines + rows.count - 1) / rows.count);
  const int64_t tiles = (lines + panel.next_panel_lines - 1) / panel.next_panel_lines;
  panel.next_panel_every = 1;
  while (2 * panel.next_panel_every <= std::min(kMaxFetchVariants, spec_.ku) &&
         2 * panel.next_panel_every * tiles <= rows.count) {
    panel.next_panel_every *= 2;
  }
  const int64_t tile_bytes = panel.next_panel_lines * kCacheLineBytes;
  for (; panel.next_panel_step < panel.next_panel_every; ++panel.next_panel_step) {
    simd_.repeat(kRows, tiles, [&] {
      tile_.emit({rows.height, group.vectors, group.partial_lanes}, panel);
      simd_.advance(kB, tile_bytes);
    });
    simd_.advance(kB, -tiles * tile_bytes);
    rows.count -= tiles;
  }
}

void OuterKernelEmitter::emit_rows_outer() {
  int32_t height = spec_.mr;
  for (const PanelGroup& group : groups_) height = std::min(height, tile_height(group));
  int64_t b_bytes = 0;
  for (const PanelGroup& group : groups_) b_bytes += group.count * panel_bytes(group);
  int64_t c_bytes = 0;
  for (const PanelGroup& group : groups_) c_bytes += group.count * panel_columns_bytes(group);
  for (const RowGroup& rows : cut_rows(spec_.m, height, spec_.rows)) {
    simd_.repeat(kRows, rows.count, [&] {
      for (const PanelGroup& group : groups_) {
        simd_.repeat(kColumns, group.count, [&] {
          tile_.emit({rows.height, group.vectors, group.partial_lanes}, panel_of(group));
          simd_.advance(kA, -rows.height * spec_.a_row_bytes);
          simd_.advance(kC, panel_columns_bytes(group) - rows.height * spec_.c_row_bytes);
          simd_.advance(kB, panel_bytes(group));
        });
      }
      simd_.advance(kA, rows.height * spec_.a_row_bytes);
      simd_.advance(kC, rows.height * spec_.c_row_bytes - c_bytes);
      simd_.advance(kB, -b_bytes);
    });
  }
}

}  // namespace triode::x86
