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

// The size of blocks that `total` is cut into: as many as `limit` needs (zero is one), of like
// size, whole granules.
Lanes even_block(Lanes total, Lanes limit, Lanes granule) {
  const Lanes count = ceil_of(total / choose(limit > broadcast(0), limit, total));
  const Lanes even = ceil_of(total / count);
  const Lanes whole = smaller(total, ceil_of(even / granule) * granule);
  return choose(count > broadcast(1), whole, total);
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
  derive_panels();
  derive_traffic();
  derive_tile_time();
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
  kc = even_block(k, c.kc, one);
  mc = even_block(m, c.mc, c.mr);
  nc = even_block(n, c.nc, c.nr);
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

// Columns that do not fill a panel make a narrower one, whose tile is as tall as the registers
// allow; with rows outside all panels share one height.
void CpuQuantities::derive_panels() {
  full_panels = floor_of(nc / c.nr);
  const Lanes left = nc - full_panels * c.nr;
  last_vectors = choose(c.dot > broadcast(0), left, ceil_of(left / lanes));
  const Lanes v = larger(last_vectors, broadcast(1));
  const Lanes tallest =
      larger(floor_of((c.registers - 1 - v) / v), floor_of((c.registers - 1) / (v + 1)));
  const Lanes grows = (1 - c.rows_outer) * (1 - c.dot) * one_if(last_vectors < nv);
  last_rows = choose(grows > broadcast(0), larger(tallest, broadcast(1)), c.mr);
  const Lanes last_tiles = choose(left > broadcast(0), ceil_of(mc / last_rows), broadcast(0));
  tiles = full_panels * row_tiles + last_tiles;
}

void CpuQuantities::derive_traffic() {
  panel_bytes = kc * c.nr * t.by;
  strip_bytes = kc * c.mr * t.by;
  a_block = mc * kc * t.by;
  b_block = kc * nc * t.by;
  unpacked_b = 1 - c.pack_whole - c.pack_panel;
  // Every second vector of an unaligned row lies across two cache lines.
  const Lanes pitch = choose(c.dot > broadcast(0), smaller(t.align_a, t.align_b), t.align_b);
  const Lanes in_line = one_if(smaller(pitch, t.pointer) >= log2_of(c.vector_bytes));
  split_loads = unpacked_b * (1 - in_line) * choose(c.dot > broadcast(0), loads, 1 / c.mr);
  // The whole block is packed once for all row blocks, a panel again by each of them.
  const Lanes packings = c.pack_whole + c.pack_panel * mblocks;
  packed_bytes = (packings * k * n + c.pack_a * m * k * nblocks) * t.by;
}

// Cycles of one step along k of a tile: multiply-adds, loads (two a cycle), and the latency of the
// sums, four cycles, whichever is longest.
Lanes CpuQuantities::step_cycles(Lanes rows, Lanes vectors) const {
  const Lanes work = larger(rows * vectors / t.fma, (rows + vectors) / 2);
  return larger(work, broadcast(4));
}

// The same for all rows of a block, in tiles of `rows`: of like height, or a smaller one last.
Lanes CpuQuantities::column_cycles(Lanes rows, Lanes vectors) const {
  const Lanes count = ceil_of(mc / rows);
  const Lanes even = count * step_cycles(mc / count, vectors);
  const Lanes full = floor_of(mc / rows);
  const Lanes left = mc - full * rows;
  const Lanes tail =
      full * step_cycles(rows, vectors) + one_if(left > broadcast(0)) * step_cycles(left, vectors);
  return choose(c.balanced > broadcast(0), even, tail);
}

void CpuQuantities::derive_tile_time() {
  const Lanes has_last = one_if(last_vectors > broadcast(0));
  const Lanes step =
      full_panels * column_cycles(c.mr, nv) + has_last * column_cycles(last_rows, last_vectors);
  const Lanes steps = choose(c.dot > broadcast(0), ceil_of(kc / lanes), kc);
  // The loop's own instructions; then the tile of c, and for a dot tile the sums across lanes.
  const Lanes turns = steps / c.ku + 1;
  const Lanes ends = 10 + sums * choose(c.dot > broadcast(0), broadcast(4), broadcast(1.5));
  t_tile = kblocks * mblocks * nblocks * (steps * step + tiles * (turns + ends));
}

void CpuQuantities::derive_times() {
  const Lanes one = broadcast(1);
  const Lanes vectors = m * n * k / (lanes * fill_lanes * fill_k * smaller(one, fill_m));
  t_comp = vectors / (t.fma * smaller(one, sums / 8));
  const Lanes blocks = kblocks * mblocks * nblocks;
  // Inside a block one operand passes by while a panel or a strip of the other stays in L1: what
  // passes comes from L2 unless both fit L1, and from L3 unless the block fits L2.
  const auto rows_out = c.rows_outer > broadcast(0);
  const Lanes passing = choose(rows_out, row_tiles * b_block, panels * a_block);
  passing_set = choose(rows_out, b_block + strip_bytes, a_block + panel_bytes);
  const Lanes staying = choose(rows_out, panels * a_block, row_tiles * b_block);
  const Lanes staying_spills = one_if(panel_bytes + strip_bytes > t.L1);
  const Lanes from_l2 = passing * one_if(passing_set > t.L1) + staying * staying_spills;
  t_l2 = blocks * from_l2 / t.l2_rate;
  t_l3 = blocks * passing * one_if(passing_set > t.L2) / t.l3_rate;
  const Lanes part_bytes = (m * k + k * n + m * n) * t.by;
  const Lanes streamed =
      (m * k * nblocks + k * n * mblocks + m * n * (2 * kblocks - 1 + t.accumulates)) * t.by;
  t_dram = streamed / stream_rate(t, part_bytes * c.threads);
  t_pack = 2 * packed_bytes / 16;
  t_turns = blocks * (40 + panels * 4) + choose(c.threads > one, broadcast(5000), broadcast(0)) +
            c.by_depth * t.M * t.N * c.threads / lanes;
  const Lanes inner = t_tile * (1 + 0.5f * split_loads);
  t_an = t.batch * (larger(larger(inner, t_l2), larger(t_l3, t_dram)) + t_pack + t_turns);
}

}  // namespace triode
