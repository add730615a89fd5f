// SPDX-License-Identifier: Apache-2.0
// Internal to learner/model.
#pragma once

#include "core/status.h"
#include "learner/model/lanes.h"
#include "learner/model/ranking_task.h"

namespace triode {

// What the cpu features know of a task, the same in all lanes. The names are those of the formulas
// in cpu_features.cc.
struct CpuTask {
  Lanes M, N, K, batch, by, ta, tb;
  Lanes align_a, align_b, align_c, pointer;
  Lanes conflict;          // a row pitch is a multiple of a page
  Lanes accumulates;       // beta is not zero: c is read
  Lanes pitch_a, pitch_b;  // bytes from one stored row to the next
  Lanes budget, cores, L1, L2, L3, width, fma, hz;
  Lanes l2_rate, l3_rate, dram_rate;  // bytes a cycle, one core
  Lanes a_bytes, b_bytes, c_bytes, bytes_min, flops, roof_cycles;

  // kUnsupported for types the kernels do not know.
  static Result<CpuTask> make(const RankingTask& task);
};

// The parameters of four configs.
struct GemmLanes {
  Lanes vector_bytes, registers;  // of the config's isa
  Lanes dot, mr, nr, ku, kc, mc, nc;
  Lanes pack_a, pack_whole, pack_panel, rows_outer, balanced, split_stores, streaming;
  Lanes prefetch_a, prefetch_a_far, prefetch_b, prefetch_c, prefetch_panel;
  Lanes threads, by_rows, by_columns, by_depth;
};

// Everything that features are made of, for four configs of one task.
struct CpuQuantities {
  const CpuTask& t;
  GemmLanes c;
  Lanes lanes, nv, sums, loads;  // the register tile
  Lanes m, n, k;                 // one thread's part
  Lanes kc, mc, nc;              // its blocks
  Lanes kblocks, mblocks, nblocks, row_tiles, panels;
  Lanes fill_m, fill_n, fill_lanes, fill_k;
  Lanes full_panels, last_vectors, last_rows;  // the narrower panel at the end: its tile
  Lanes tiles;                                 // of one block
  Lanes panel_bytes, strip_bytes, a_block, b_block;
  Lanes unpacked_b, split_loads, packed_bytes, passing_set;
  Lanes balance;
  Lanes t_comp, t_tile, t_l2, t_l3, t_dram, t_pack, t_turns, t_an;  // cycles

  CpuQuantities(const CpuTask& task, const GemmLanes& config);

 private:
  void derive_tile();
  void derive_blocks();
  void derive_panels();
  void derive_traffic();
  Lanes step_cycles(Lanes rows, Lanes vectors) const;
  Lanes column_cycles(Lanes rows, Lanes vectors) const;
  void derive_tile_time();
  void derive_times();
};

}  // namespace triode
