// SPDX-License-Identifier: Apache-2.0
// Internal to learner/model.
#pragma once

#include "core/status.h"
#include "learner/model/lanes.h"
#include "learner/model/ranking_task.h"

namespace triode {
inline namespace TRIODE_LANES_NAMESPACE {

// What the gpu features know of a task, the same in all lanes. The names are those of the formulas
// in gpu_features.cc.
// Holds Lanes and nothing else: see widened().
struct GpuTask {
  Lanes M, N, K, batch;
  Lanes by;  // bytes of an element of a
  Lanes simt, tf, ta, tb;
  Lanes align_a, align_b, align_c;
  Lanes inductor, nvrtc;
  Lanes SM, smem_SM, smem_block, regs_SM, threads_SM, L2, BW, L2BW, peak, launch, hopper;
  Lanes ai_full;  // bm*bn/(bm+bn) from which on the multipliers are busy
  Lanes k_step;   // seconds one step of the loop over k waits for memory
  Lanes in_bytes, out_bytes, bytes_min, flops, roof;
  // Logarithms to base two.
  Lanes log_M, log_N, log_K, log_batch, log_by, log_SM, log_bytes_min, log_roof;

  // kUnsupported for types that no matmul of these devices reads.
  static Result<GpuTask> make(const RankingTask& task);
};

// The parameters of some configs.
struct TritonLanes {
  Lanes bm, bn, bk, group, stages, warps, split;
};

// Everything that features are made of, for some configs of one task.
struct GpuQuantities {
  const GpuTask& t;
  TritonLanes c;
  Lanes gm, gn, tiles, ki;
  Lanes smem, acc, occ_smem, occ, warps_sm;
  Lanes waves, weff, w1, w1eff;
  Lanes ai_t, dram, l2t;
  Lanes t_comp, t_dram, t_l2, t_lat, t_an;
  Lanes wg;  // the block can use warpgroup instructions, and the device has them
  // Logarithms of what several features share: most features are sums of these, which costs far
  // less than a logarithm each.
  Lanes log_bm, log_bn, log_bk, log_split, log_warps, log_stages, log_gm, log_gn, log_ki, log_occ;
  Lanes log_sides;  // of bm + bn
  Lanes log_acc, log_tiles, log_w1;
  Lanes log_fill_m, log_fill_n, log_fill_k;  // share of the padded dimension that is work

  GpuQuantities(const GpuTask& task, const TritonLanes& config);

 private:
  void derive_tiles();
  void derive_occupancy();
  void derive_traffic();
  void derive_times();
  void derive_logs();
};

}  // namespace TRIODE_LANES_NAMESPACE
}  // namespace triode
