// SPDX-License-Identifier: Apache-2.0
#include "learner/model/cpu_quantities.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/dtype.h"
#include "core/problem.h"
#include "learner/model/feature_kind.h"

namespace triode {
namespace {

Lanes flag(bool value) {
  return broadcast(value ? 1 : 0);
}

// A column result is a row result with the operands exchanged: as the kernels see it.
Problem as_kernels_see(Problem p) {
  if (p.n != 1 || p.m == 1 || p.ldc != 1) return p;
  std::swap(p.m, p.n);
  std::swap(p.lda, p.ldb);
  const bool a_transposed = !p.b_transposed;
  p.b_transposed = !p.a_transposed;
  p.a_transposed = a_transposed;
  p.ldc = p.n;
  return p;
}

void set_problem(const Problem& p, double by, CpuTask& t) {
  t.M = broadcast(static_cast<double>(p.m));
  t.N = broadcast(static_cast<double>(p.n));
  t.K = broadcast(static_cast<double>(p.k));
  t.batch = broadcast(static_cast<double>(p.batch));
  t.by = broadcast(by);
  t.ta = flag(p.a_transposed);
  t.tb = flag(p.b_transposed);
  t.align_a = broadcast(log2_alignment(p.lda, by));
  t.align_b = broadcast(log2_alignment(p.ldb, by));
  t.align_c = broadcast(log2_alignment(p.ldc, by));
  t.pointer = broadcast(std::log2(std::max(1, p.alignment_bytes)));
  t.conflict = flag(p.ld_class() == LdClass::kConflict);
  t.accumulates = flag(p.beta != ScalarClass::kZero);
  t.pitch_a = broadcast(static_cast<double>(p.lda) * by);
  t.pitch_b = broadcast(static_cast<double>(p.ldb) * by);
  t.budget = broadcast(std::max(1, p.threads));
  const double batch_bytes = static_cast<double>(p.batch) * by;
  t.a_bytes = broadcast(static_cast<double>(p.m) * static_cast<double>(p.k) * batch_bytes);
  t.b_bytes = broadcast(static_cast<double>(p.k) * static_cast<double>(p.n) * batch_bytes);
  t.c_bytes = broadcast(static_cast<double>(p.m) * static_cast<double>(p.n) * batch_bytes);
  t.bytes_min = t.a_bytes + t.b_bytes + t.c_bytes;
  t.flops = broadcast(p.flops());
}

void set_device(const CpuTraits& cpu, CpuTask& t) {
  t.cores = broadcast(cpu.cores);
  t.L1 = broadcast(cpu.l1_bytes);
  t.L2 = broadcast(cpu.l2_bytes);
  t.L3 = broadcast(std::max(cpu.l3_bytes, cpu.l2_bytes));
  t.width = broadcast(cpu.vector_bytes);
  t.fma = broadcast(cpu.fma_per_cycle);
  t.hz = broadcast(cpu.hz);
  t.l2_rate = broadcast(cpu.l2_bytes_per_cycle);
  t.l3_rate = broadcast(cpu.l3_bytes_per_cycle);
  t.dram_rate = broadcast(cpu.dram_bytes_per_cycle);
}

// The rate at which a working set of so many bytes streams into one core.
Lanes stream_rate(const CpuTask& t, Lanes bytes) {
  const Lanes beyond_l2 = choose(bytes <= t.L3, t.l3_rate, t.dram_rate);
  return choose(bytes <= t.L2, t.l2_rate, beyond_l2);
}

}  // namespace

Result<CpuTask> CpuTask::make(const RankingTask& task) {
  const DType type = task.problem.c_type;
  if (type != DType::kF32 && type != DType::kF64) {
    return unsupported("the cpu features know f32 and f64, not \"" + to_string(task.problem) +
                       "\"");
  }
  CpuTask t{};
  set_problem(as_kernels_see(task.problem), static_cast<double>(size_bytes(type)), t);
  set_device(task.device.cpu, t);
  const Lanes usable = smaller(t.budget, t.cores);
  const Lanes compute = t.flops / (2 * t.width / t.by * t.fma * usable);
  const Lanes memory = t.bytes_min / stream_rate(t, t.bytes_min);
  t.roof_cycles = larger(compute, memory);
  return t;
}

CpuQuantities::CpuQuantities(const CpuTask& task, const GemmLanes& config) : t(task), c(config) {
  derive_tile();
  derive_blocks();
  derive_traffic();
  derive_times();
}

// An outer tile is mr rows of nv vectors; a dot tile mr x nr sums that run along k.
void CpuQuantities::derive_tile() {
  lanes = c.vector_bytes / t.by;
  nv = choose(c.dot > broadcast(0), c.nr, ceil_of(c.nr / lanes));
  sums = c.mr * nv;
  loads = (c.mr + nv) / sums;
}

void CpuQuantities::derive_blocks() {
  const Lanes one = broadcast(1);
  m = ceil_of(t.M / choose(c.by_rows > broadcast(0), c.threads, one));
  n = ceil_of(t.N / choose(c.by_columns > broadcast(0), c.threads, one));
  k = ceil_of(t.K / choose(c.by_depth > broadcast(0), c.threads, one));
  // Zero is the whole dimension.
  const Lanes zero = broadcast(0);
  kc = smaller(choose(c.kc > zero, c.kc, k), k);
  mc = smaller(choose(c.mc > zero, c.mc, m), m);
  nc = smaller(choose(c.nc > zero, c.nc, n), n);
  kblocks = ceil_of(k / kc);
  mblocks = ceil_of(m / mc);
  nblocks = ceil_of(n / nc);
  row_tiles = ceil_of(mc / c.mr);
  panels = ceil_of(nc / c.nr);
  fill_m = mc / (row_tiles * c.mr);
  fill_n = nc / (panels * c.nr);
  const Lanes is_outer = 1 - c.dot;
  fill_lanes = is_outer * (nc / (ceil_of(nc / lanes) * lanes)) + c.dot;
  fill_k = c.dot * (kc / (ceil_of(kc / lanes) * lanes)) + is_outer;
  balance = (t.M * t.N * t.K) / (m * n * k * c.threads);
}

void CpuQuantities::derive_traffic() {
  panel_bytes = kc * c.nr * t.by;
  strip_bytes = kc * c.mr * t.by;
  a_block = mc * kc * t.by;
  b_block = kc * nc * t.by;
  const Lanes packs_b = c.pack_whole + c.pack_panel;
  unpacked_b = 1 - packs_b;
  b_passes = mblocks;
  a_passes = nblocks;
  c_passes = kblocks;
  // The whole block is packed once for all row blocks, a panel again by each of them.
  const Lanes packings = c.pack_whole + c.pack_panel * mblocks;
  packed_bytes = (packings * k * n + c.pack_a * m * k * nblocks) * t.by;
}

void CpuQuantities::derive_times() {
  const Lanes one = broadcast(1);
  // Sums that run in parallel hide the latency of a multiply-add: two units, four cycles.
  const Lanes hidden = smaller(one, sums / 8);
  const Lanes vectors = m * n * k / (lanes * fill_lanes * fill_k * smaller(one, fill_m));
  t_comp = vectors / (t.fma * hidden);
  t_load = vectors * loads / 2;
  // Inside a block: what does not stay in L1 comes from L2 once for each tile row or column.
  const Lanes inner = choose(c.rows_outer > broadcast(0), row_tiles * b_block, panels * a_block);
  const Lanes blocks = kblocks * mblocks * nblocks;
  const Lanes block_bytes = a_block + b_block;
  t_cache = blocks * inner / stream_rate(t, block_bytes);
  const Lanes part_bytes = (m * k + k * n + m * n) * t.by;
  const Lanes streamed =
      (m * k * a_passes + k * n * b_passes + m * n * (2 * c_passes - 1 + t.accumulates)) * t.by;
  t_dram = streamed / stream_rate(t, part_bytes * c.threads);
  t_pack = 2 * packed_bytes / 16;
  t_turns = blocks * (40 + row_tiles * panels * 12) +
            choose(c.threads > one, broadcast(5000), broadcast(0)) +
            c.by_depth * t.M * t.N * c.threads / lanes;
  t_an = t.batch * (larger(larger(t_comp, t_load), larger(t_cache, t_dram)) + t_pack + t_turns);
}

}  // namespace triode
