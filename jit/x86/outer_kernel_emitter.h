// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "jit/x86/kernel_spec.h"
#include "jit/x86/outer_tile_emitter.h"
#include "jit/x86/register_tile.h"
#include "jit/x86/simd_emitter.h"

namespace triode::x86 {

// The block around the outer-product tiles: loops over panels of b and row tiles of a, in either
// order.
class OuterKernelEmitter {
 public:
  OuterKernelEmitter(SimdEmitter& simd, const KernelSpec& spec);

  // The whole kernel but for its return.
  void emit();

 private:
  // Equal panels side by side.
  struct PanelGroup {
    int32_t vectors;
    int32_t partial_lanes;
    int64_t count;
  };

  void emit_columns_outer();
  void emit_rows_outer();
  void emit_panel(const PanelGroup& group);
  void emit_fetching_tiles(const PanelGroup& group, OuterTileEmitter::Panel panel, RowGroup& rows);
  bool has_next(const PanelGroup& group) const;  // whether another panel stands to the right
  int32_t tile_height(const PanelGroup& group) const;
  OuterTileEmitter::Panel panel_of(const PanelGroup& group) const;
  int64_t panel_bytes(const PanelGroup& group) const;  // from one panel of b to the next
  int64_t panel_columns_bytes(const PanelGroup& group) const;

  SimdEmitter& simd_;
  const KernelSpec& spec_;
  OuterTileEmitter tile_;
  std::vector<PanelGroup> groups_;
};

}  // namespace triode::x86
