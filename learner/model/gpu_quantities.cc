// SPDX-License-Identifier: Apache-2.0
#include "learner/model/gpu_quantities.h"

#include <algorithm>
#include <cstdint>

#include "core/dtype.h"
#include "core/problem.h"
#include "learner/model/feature_kind.h"

namespace triode {
#if TRIODE_LANES_COUNT == 4  // a task is made once, and widened
namespace {

enum class Path : uint8_t { kSimt, kTf32, kTensor16, kTensor8 };

Result<Path> path_of(const Problem& problem) {
  switch (problem.a_type) {
    case DType::kF32:
    case DType::kF64:
      return Path::kSimt;
    case DType::kTF32:
      return Path::kTf32;
    case DType::kF16:
    case DType::kBF16:
      return Path::kTensor16;
    case DType::kF8E4M3:
    case DType::kI8:
      return Path::kTensor8;
    default:
      return unsupported("the gpu features do not know the types of \"" + to_string(problem) +
                         "\"");
  }
}

double peak_of(const GpuTraits& gpu, const Problem& problem, Path path) {
  if (problem.a_type == DType::kF64) return gpu.f64_flops;
  switch (path) {
    case Path::kSimt:
      return gpu.f32_flops;
    case Path::kTf32:
      return gpu.tf32_flops;
    case Path::kTensor16:
      return gpu.tensor16_flops;
    default:
      return gpu.f8_flops;
  }
}

Lanes flag(bool value) {
  return broadcast(value ? 1 : 0);
}

double bytes_of(DType type) {
  return static_cast<double>(size_bytes(type));
}

void set_problem(const Problem& p, KernelFamily family, GpuTask& t) {
  t.M = broadcast(static_cast<double>(p.m));
  t.N = broadcast(static_cast<double>(p.n));
  t.K = broadcast(static_cast<double>(p.k));
  t.batch = broadcast(static_cast<double>(p.batch));
  t.by = broadcast(bytes_of(p.a_type));
  t.ta = flag(p.a_transposed);
  t.tb = flag(p.b_transposed);
  t.align_a = broadcast(log2_alignment(p.lda, bytes_of(p.a_type)));
  t.align_b = broadcast(log2_alignment(p.ldb, bytes_of(p.b_type)));
  t.align_c = broadcast(log2_alignment(p.ldc, bytes_of(p.c_type)));
  t.inductor = flag(family == KernelFamily::kInductor);
  t.nvrtc = flag(family == KernelFamily::kNvrtc);
}

void set_device(const GpuTraits& gpu, GpuTask& t) {
  t.SM = broadcast(gpu.multiprocessors);
  t.smem_SM = broadcast(gpu.smem_per_multiprocessor_bytes);
  t.smem_block = broadcast(gpu.smem_per_block_bytes);
  t.regs_SM = broadcast(gpu.registers_per_multiprocessor);
  t.threads_SM = broadcast(gpu.threads_per_multiprocessor);
  t.L2 = broadcast(gpu.l2_bytes);
  t.BW = broadcast(gpu.dram_bytes_per_s);
  t.L2BW = broadcast(gpu.l2_bytes_per_s);
  t.launch = broadcast(gpu.launch_s);
  t.hopper = flag(gpu.has_warpgroup_mma);
}

void set_traffic(const Problem& p, const GpuTraits& gpu, double peak, GpuTask& t) {
  const auto m = static_cast<double>(p.m);
  const auto n = static_cast<double>(p.n);
  const auto k = static_cast<double>(p.k);
  const auto batch = static_cast<double>(p.batch);
  const double in = batch * k * (m * bytes_of(p.a_type) + n * bytes_of(p.b_type));
  const double out = batch * m * n * bytes_of(p.c_type);
  t.in_bytes = broadcast(in);
  t.out_bytes = broadcast(out);
  t.bytes_min = broadcast(in + out);
  t.flops = broadcast(p.flops());
  t.roof = broadcast(std::max(p.flops() / peak, (in + out) / gpu.dram_bytes_per_s) + gpu.launch_s);
}

}  // namespace

Result<GpuTask> GpuTask::make(const RankingTask& task) {
  const GpuTraits& gpu = task.device.gpu;
  const Path path = TRIODE_TRY(path_of(task.problem));
  const double peak = peak_of(gpu, task.problem, path);
  GpuTask t{};
  set_problem(task.problem, task.family, t);
  set_device(gpu, t);
  set_traffic(task.problem, gpu, peak, t);
  t.simt = flag(path == Path::kSimt);
  t.tf = flag(path == Path::kTf32);
  t.peak = broadcast(peak);
  t.ai_full = broadcast(path == Path::kSimt ? 16 : path == Path::kTf32 ? 24 : 32);
  t.k_step = broadcast(path == Path::kSimt ? 0.4e-6 : 0.25e-6);
  t.log_M = log2_of(t.M);
  t.log_N = log2_of(t.N);
  t.log_K = log2_of(t.K);
  t.log_batch = log2_of(t.batch);
  t.log_by = log2_of(t.by);
  t.log_SM = log2_of(t.SM);
  t.log_bytes_min = log2_of(t.bytes_min);
  t.log_roof = log2_of(t.roof);
  return t;
}

#endif

GpuQuantities::GpuQuantities(const GpuTask& task, const TritonLanes& config) : t(task), c(config) {
  derive_tiles();
  derive_occupancy();
  derive_traffic();
  derive_times();
  derive_logs();
}

void GpuQuantities::derive_tiles() {
  gm = ceil_of(t.M / c.bm);
  gn = ceil_of(t.N / c.bn);
  tiles = t.batch * gm * gn * c.split;
  ki = ceil_of(t.K / (c.bk * c.split));
  ai_t = c.bm * c.bn / (c.bm + c.bn);
}

void GpuQuantities::derive_occupancy() {
  const Lanes one = broadcast(1);
  const Lanes threads = 32 * c.warps;
  smem = larger(c.stages - 1, one) * (c.bm + c.bn) * c.bk * t.by;
  acc = c.bm * c.bn / threads;
  const Lanes regs =
      smaller(acc + 0.125f * (c.bm + c.bn) * c.bk * t.by / threads + 40, broadcast(255));
  occ_smem = larger(floor_of(t.smem_SM / (smem + 1024)), one);
  const Lanes occ_regs = larger(floor_of(t.regs_SM / (regs * threads)), one);
  const Lanes occ_threads = larger(floor_of(t.threads_SM / threads), one);
  occ = smaller(smaller(occ_smem, occ_regs), smaller(occ_threads, broadcast(16)));
  w1 = tiles / t.SM;
  warps_sm = smaller(occ, ceil_of(w1)) * c.warps;
  waves = w1 / occ;
  weff = waves / ceil_of(waves);
  w1eff = w1 / ceil_of(w1);
  wg = t.hopper * one_if((c.warps >= broadcast(4)) & (c.bm >= broadcast(64)));
}

// What passes L2, and of that what comes from memory: the tiles in flight at once form a rectangle
// whose rows and columns are shared, `group` tile rows high.
void GpuQuantities::derive_traffic() {
  const Lanes strip = (c.bm + c.bn) * t.by;
  l2t = tiles * strip * c.bk * ki;
  const Lanes at_once = smaller(tiles, t.SM * occ);
  const Lanes columns = smaller(ceil_of(at_once / smaller(c.group, gm)), gn);
  const Lanes rows = smaller(gm, ceil_of(at_once / columns));
  const Lanes wave_in = (rows * c.bm + columns * c.bn) * t.K * t.by;
  const Lanes streamed = larger(t.in_bytes, ceil_of(waves) * wave_in);
  const Lanes in = choose(t.in_bytes <= 0.8f * t.L2, t.in_bytes, streamed);
  const Lanes out = t.out_bytes * c.split;
  dram = smaller(in + out, tiles * strip * t.K + out);
}

void GpuQuantities::derive_times() {
  const Lanes one = broadcast(1);
  const Lanes busy = smaller(one, ai_t / t.ai_full);
  const Lanes hidden = smaller(one, sqrt_of(warps_sm / 8));
  const Lanes piped = choose(c.stages >= broadcast(3), one, broadcast(0.85));
  const Lanes rate = t.peak / t.SM * 0.8f * busy * hidden * piped;
  t_comp = ceil_of(w1) * (2 * c.bm * c.bn * c.bk * ki) / rate;
  const Lanes parallel = smaller(one, w1);
  t_dram = dram / (t.BW * smaller(one, 1.5f * parallel));
  t_l2 = l2t / (t.L2BW * parallel);
  t_lat = ceil_of(waves) * (1e-6f + ki * t.k_step / larger(c.stages - 1, one));
  t_an = larger(larger(t_comp, t_dram), larger(t_l2, t_lat)) + t.launch;
}

void GpuQuantities::derive_logs() {
  log_bm = log2_of(c.bm);
  log_bn = log2_of(c.bn);
  log_bk = log2_of(c.bk);
  log_split = log2_of(c.split);
  log_warps = log2_of(c.warps);
  log_stages = log2_of(c.stages);
  log_gm = log2_of(gm);
  log_gn = log2_of(gn);
  log_ki = log2_of(ki);
  log_occ = log2_of(occ);
  log_sides = log2_of(c.bm + c.bn);
  log_acc = log_bm + log_bn - log_warps - 5;
  log_tiles = t.log_batch + log_gm + log_gn + log_split;
  log_w1 = log_tiles - t.log_SM;
  log_fill_m = t.log_M - log_gm - log_bm;
  log_fill_n = t.log_N - log_gn - log_bn;
  log_fill_k = t.log_K - log_ki - log_bk - log_split;
}

}  // namespace triode
