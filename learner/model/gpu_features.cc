// SPDX-License-Identifier: Apache-2.0
// The features of a gpu matmul of blocks: one row each, with its formula and the code of it.
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "learner/model/feature_kind.h"
#include "learner/model/feature_rows.h"
#include "learner/model/gpu_quantities.h"
#include "learner/model/gpu_rows.h"
#include "learner/model/lanes.h"

namespace triode {
namespace {

using Q = GpuQuantities;

Lanes L(Lanes x) {
  return log2_of(x);
}

constexpr auto kProblem = FeatureScope::kProblem;
constexpr auto kConfig = FeatureScope::kConfig;
constexpr auto kBoth = FeatureScope::kBoth;

constexpr std::string_view kQuantities[] = {
    "L(x) = log2(max(x, 1e-12))",
    "by = bytes of an element; simt = f32 or f64; tf = tf32; ta, tb = a, b transposed",
    "bm, bn, bk, group, stages, warps, split = the config",
    "SM, smem_SM, smem_block, L2, BW, L2BW, peak, launch = the device, peak by type",
    "gm = ceil(M / bm); gn = ceil(N / bn); tiles = batch * gm * gn * split",
    "ki = ceil(K / (bk * split)); ai_t = bm * bn / (bm + bn)",
    "smem = max(stages - 1, 1) * (bm + bn) * bk * by; acc = bm * bn / (32 * warps)",
    "regs = min(acc + 0.125 * (bm + bn) * bk * by / (32 * warps) + 40, 255)",
    "occ_smem = max(1, floor(smem_SM / (smem + 1024)))",
    "occ = min(occ_smem, max(1, floor(65536 / (regs * 32 * warps))), 2048 / (32 * warps), 16)",
    "w1 = tiles / SM; w1eff = w1 / ceil(w1); waves = w1 / occ; weff = waves / ceil(waves)",
    "warps_sm = min(occ, ceil(w1)) * warps",
    "bytes_min = bytes of a, b and c; roof = max(flops / peak, bytes_min / BW) + launch",
    "l2t = tiles * (bm + bn) * bk * ki * by",
    "at_once = min(tiles, SM * occ); cols = min(ceil(at_once / min(group, gm)), gn)",
    "rows = min(gm, ceil(at_once / cols)); wave_in = (rows * bm + cols * bn) * K * by",
    "dram = min(a and b once if they fit 0.8 L2, else max of that and ceil(waves) * wave_in; "
    "tiles * (bm + bn) * K * by) + c * split",
    "t_comp = ceil(w1) * 2 * bm * bn * bk * ki / (peak / SM * 0.8 * min(1, ai_t / A) * "
    "min(1, sqrt(warps_sm / 8)) * (stages >= 3 ? 1 : 0.85)), A = 16 simt, 24 tf32, 32 else",
    "t_dram = dram / (BW * min(1, 1.5 * w1)); t_l2 = l2t / (L2BW * min(1, w1))",
    "t_lat = ceil(waves) * (1 us + ki * (simt ? 0.4 us : 0.25 us) / max(stages - 1, 1))",
    "t_an = max(t_comp, t_dram, t_l2, t_lat) + launch",
    "wg = the device has warpgroup instructions and warps >= 4 and bm >= 64",
};

// clang-format off
constexpr FeatureRow<Q> kRows[] = {
    {{"log2_m", "L(M)", "log2", kProblem}, [](const Q& q) { return q.t.log_M; }},
    {{"log2_n", "L(N)", "log2", kProblem}, [](const Q& q) { return q.t.log_N; }},
    {{"log2_k", "L(K)", "log2", kProblem}, [](const Q& q) { return q.t.log_K; }},
    {{"log2_batch", "L(batch)", "log2", kProblem}, [](const Q& q) { return q.t.log_batch; }},
    {{"element_bytes", "by", "bytes", kProblem}, [](const Q& q) { return q.t.by; }},
    {{"simt", "simt", "0 or 1", kProblem}, [](const Q& q) { return q.t.simt; }},
    {{"tf32", "tf", "0 or 1", kProblem}, [](const Q& q) { return q.t.tf; }},
    {{"a_transposed", "ta", "0 or 1", kProblem}, [](const Q& q) { return q.t.ta; }},
    {{"b_transposed", "tb", "0 or 1", kProblem}, [](const Q& q) { return q.t.tb; }},
    {{"align_a", "L(min(128, by * largest power of two up to 64 that divides lda))", "log2 bytes",
      kProblem}, [](const Q& q) { return q.t.align_a; }},
    {{"align_b", "the same of ldb", "log2 bytes", kProblem}, [](const Q& q) { return q.t.align_b; }},
    {{"align_c", "the same of ldc", "log2 bytes", kProblem}, [](const Q& q) { return q.t.align_c; }},
    {{"intensity", "L(flops / bytes_min)", "log2 flops per byte", kProblem},
     [](const Q& q) { return L(q.t.flops / q.t.bytes_min); }},
    {{"roof", "L(roof)", "log2 s", kProblem}, [](const Q& q) { return q.t.log_roof; }},
    {{"compute_over_memory", "L((flops / peak) / (bytes_min / BW))", "log2", kProblem},
     [](const Q& q) { return L((q.t.flops / q.t.peak) / (q.t.bytes_min / q.t.BW)); }},
    {{"family_inductor", "the kernel is Inductor's template", "0 or 1", kProblem},
     [](const Q& q) { return q.t.inductor; }},
    {{"family_nvrtc", "the kernel is compiled by NVRTC", "0 or 1", kProblem},
     [](const Q& q) { return q.t.nvrtc; }},
    {{"multiprocessors", "L(SM)", "log2", kProblem}, [](const Q& q) { return q.t.log_SM; }},
    {{"has_warpgroup", "the device has warpgroup instructions", "0 or 1", kProblem},
     [](const Q& q) { return q.t.hopper; }},
    {{"device_balance", "L(peak / BW)", "log2 flops per byte", kProblem},
     [](const Q& q) { return L(q.t.peak / q.t.BW); }},
    {{"device_l2", "L(L2)", "log2 bytes", kProblem}, [](const Q& q) { return L(q.t.L2); }},

    {{"block_m", "L(bm)", "log2", kConfig}, [](const Q& q) { return q.log_bm; }},
    {{"block_n", "L(bn)", "log2", kConfig}, [](const Q& q) { return q.log_bn; }},
    {{"block_k", "L(bk)", "log2", kConfig}, [](const Q& q) { return q.log_bk; }},
    {{"group_m", "L(group)", "log2", kConfig}, [](const Q& q) { return L(q.c.group); }},
    {{"split_k", "L(split)", "log2", kConfig}, [](const Q& q) { return q.log_split; }},
    {{"stages", "stages", "1", kConfig}, [](const Q& q) { return q.c.stages; }},
    {{"warps", "L(warps)", "log2", kConfig}, [](const Q& q) { return q.log_warps; }},
    {{"tile", "L(bm * bn)", "log2", kConfig}, [](const Q& q) { return q.log_bm + q.log_bn; }},
    {{"tile_aspect", "L(bm / bn)", "log2", kConfig}, [](const Q& q) { return q.log_bm - q.log_bn; }},
    {{"tile_intensity", "L(ai_t)", "log2", kConfig}, [](const Q& q) { return q.log_bm + q.log_bn - q.log_sides; }},
    {{"accumulators", "L(acc)", "log2 per thread", kConfig}, [](const Q& q) { return q.log_acc; }},
    {{"smem", "L(smem)", "log2 bytes", kBoth}, [](const Q& q) { return L(q.smem); }},
    {{"smem_share", "smem / smem_block", "1", kBoth},
     [](const Q& q) { return q.smem / q.t.smem_block; }},

    {{"occupancy", "L(occ)", "log2 blocks", kBoth}, [](const Q& q) { return q.log_occ; }},
    {{"occupancy_smem", "L(occ_smem)", "log2 blocks", kBoth},
     [](const Q& q) { return L(q.occ_smem); }},
    {{"warps_resident", "L(warps_sm)", "log2", kBoth}, [](const Q& q) { return L(q.warps_sm); }},
    {{"tiles_m", "L(gm)", "log2", kBoth}, [](const Q& q) { return q.log_gm; }},
    {{"tiles_n", "L(gn)", "log2", kBoth}, [](const Q& q) { return q.log_gn; }},
    {{"tiles", "L(tiles)", "log2", kBoth}, [](const Q& q) { return q.log_tiles; }},
    {{"k_steps", "L(ki)", "log2", kBoth}, [](const Q& q) { return q.log_ki; }},
    {{"k_steps_per_stage", "L(ki / stages)", "log2", kBoth},
     [](const Q& q) { return q.log_ki - q.log_stages; }},
    {{"fill", "L(M N K / padded M N K)", "log2", kBoth},
     [](const Q& q) { return q.log_fill_m + q.log_fill_n + q.log_fill_k; }},
    {{"fill_mn", "L(M N / padded M N)", "log2", kBoth},
     [](const Q& q) { return q.log_fill_m + q.log_fill_n; }},
    {{"fill_m", "L(M / (gm * bm))", "log2", kBoth}, [](const Q& q) { return q.log_fill_m; }},
    {{"fill_n", "L(N / (gn * bn))", "log2", kBoth}, [](const Q& q) { return q.log_fill_n; }},
    {{"fill_k", "L(K / (ki * bk * split))", "log2", kBoth}, [](const Q& q) { return q.log_fill_k; }},
    {{"waves", "L(waves)", "log2", kBoth}, [](const Q& q) { return q.log_w1 - q.log_occ; }},
    {{"wave_fill", "L(weff)", "log2", kBoth}, [](const Q& q) { return L(q.weff); }},
    {{"waves_single", "L(w1)", "log2", kBoth}, [](const Q& q) { return q.log_w1; }},
    {{"wave_fill_single", "L(w1eff)", "log2", kBoth}, [](const Q& q) { return L(q.w1eff); }},
    {{"dram_traffic", "L(dram / bytes_min)", "log2", kBoth},
     [](const Q& q) { return L(q.dram) - q.t.log_bytes_min; }},
    {{"l2_traffic", "L(l2t / bytes_min)", "log2", kBoth},
     [](const Q& q) { return q.log_tiles + q.log_sides + q.log_bk + q.log_ki + q.t.log_by - q.t.log_bytes_min; }},
    {{"time_compute", "L(t_comp / roof)", "log2", kBoth},
     [](const Q& q) { return L(q.t_comp) - q.t.log_roof; }},
    {{"time_dram", "L(t_dram / roof)", "log2", kBoth},
     [](const Q& q) { return L(q.t_dram) - q.t.log_roof; }},
    {{"time_l2", "L(t_l2 / roof)", "log2", kBoth}, [](const Q& q) { return L(q.t_l2) - q.t.log_roof; }},
    {{"time_latency", "L(t_lat / roof)", "log2", kBoth},
     [](const Q& q) { return L(q.t_lat) - q.t.log_roof; }},
    {{"time_analytical", "L(t_an / roof)", "log2", kBoth},
     [](const Q& q) { return L(q.t_an) - q.t.log_roof; }},
    {{"row_bytes_a", "L(by * (ta ? bm : bk))", "log2 bytes", kBoth},
     [](const Q& q) { return q.t.log_by + q.t.ta * q.log_bm + (1 - q.t.ta) * q.log_bk; }},
    {{"row_bytes_b", "L(by * (tb ? bk : bn))", "log2 bytes", kBoth},
     [](const Q& q) { return q.t.log_by + q.t.tb * q.log_bk + (1 - q.t.tb) * q.log_bn; }},

    {{"wg", "wg", "0 or 1", kBoth}, [](const Q& q) { return q.wg; }},
    {{"wg_tf32_mn_major", "wg * tf * (ta or not tb)", "0 or 1", kBoth},
     [](const Q& q) { return q.wg * q.t.tf * larger(q.t.ta, 1 - q.t.tb); }},
    {{"wg_simt", "wg * simt", "0 or 1", kBoth}, [](const Q& q) { return q.wg * q.t.simt; }},
    {{"wg_block_n", "wg * (L(bn) - 6)", "log2", kBoth},
     [](const Q& q) { return q.wg * (q.log_bn - 6); }},
    {{"wg_stages", "wg * (stages - 3)", "1", kBoth},
     [](const Q& q) { return q.wg * (q.c.stages - 3); }},
    {{"wg_warps", "wg * (L(warps) - 2)", "log2", kBoth},
     [](const Q& q) { return q.wg * (q.log_warps - 2); }},
    {{"wg_accumulators", "has warpgroup instructions * (L(acc) - 6)", "log2", kBoth},
     [](const Q& q) { return q.t.hopper * (q.log_acc - 6); }},
};
// clang-format on

constexpr size_t kProblemCount = problem_rows(kRows);

TritonLanes read(const TritonColumns& c, size_t first) {
  const auto lanes = [first](const float* column) {
    Lanes out;
    std::memcpy(&out, column + first, sizeof out);
    return out;
  };
  return {lanes(c.bm),     lanes(c.bn),    lanes(c.bk),   lanes(c.group),
          lanes(c.stages), lanes(c.warps), lanes(c.split)};
}

}  // namespace

void TRIODE_LANES_NAMESPACE::gpu_rows(const float* task, const TritonColumns& configs, size_t count,
                                      float* columns, size_t stride) {
  const GpuTask wide = widened(task);
  for (size_t i = 0; i < count; i += kLanes) {
    const size_t here = count - i < kLanes ? count - i : kLanes;
    store_rows<kProblemCount>(kRows, Q(wide, read(configs, i)), columns + i, stride, here);
  }
}

#if TRIODE_LANES_COUNT == 4  // the rest is the same for all widths
namespace {

constexpr auto kDescriptions = descriptions_of(kRows);

class GpuKind final : public FeatureExtractor::Kind {
 public:
  static Result<std::unique_ptr<const FeatureExtractor::Kind>> make(const RankingTask& task) {
    std::unique_ptr<GpuKind> kind(new GpuKind(TRIODE_TRY(GpuTask::make(task))));
    kind->block_m_ = TRIODE_TRY(required_position(task.space, "block_m"));
    kind->block_n_ = TRIODE_TRY(required_position(task.space, "block_n"));
    kind->block_k_ = TRIODE_TRY(required_position(task.space, "block_k"));
    kind->stages_ = TRIODE_TRY(required_position(task.space, "num_stages"));
    kind->warps_ = TRIODE_TRY(required_position(task.space, "num_warps"));
    kind->group_ = task.space.position_of("group_m");
    kind->split_ = task.space.position_of("split_k");
    kind->set_problem_features();
    return std::unique_ptr<const FeatureExtractor::Kind>(std::move(kind));
  }

  const FeatureTable& table() const override { return gpu_feature_table(); }
  std::span<const float> problem_features() const override { return problem_; }
  double roof_s() const override { return task_.roof[0]; }
  double launch_s() const override { return task_.launch[0]; }

  void extract_varying(std::span<const Config> configs, float* columns,
                       size_t stride) const override {
    TritonColumns block;
    for (size_t i = 0; i < configs.size(); i += kTritonColumns) {
      const size_t count = std::min(kTritonColumns, configs.size() - i);
      fill(configs.subspan(i, count), block);
      rows_(reinterpret_cast<const float*>(&task_), block, count, columns + i, stride);
    }
  }

  double analytical_s(const Config& config) const override {
    TritonColumns block;
    fill({&config, 1}, block);
    return Q(task_, read(block, 0)).t_an[0];
  }

  Fit fit(const Config& config) const override {
    const int64_t sides = int64_t{config[block_m_]} + config[block_n_];
    const int64_t elements = std::max(config[stages_] - 1, 1) * sides * config[block_k_];
    const float smem = static_cast<float>(elements) * task_.by[0];
    // On Hopper some tf32 configs run that this rule forbids. None of them was the best of a
    // recorded problem, and their neighbours fail: a model that has seen no failures would choose
    // those.
    return smem > task_.smem_block[0] ? Fit::kTooMuchSharedMemory : Fit::kFits;
  }

  int mechanism(const Config& config) const override {
    return config[warps_] >= 4 && config[block_m_] >= 64 ? 1 : 0;
  }

 private:
  explicit GpuKind(const GpuTask& task) : task_(task) {}

  // Places up to the next whole vector repeat the last config: their values are not stored.
  void fill(std::span<const Config> configs, TritonColumns& block) const {
    for (size_t i = 0; i < configs.size(); ++i) {
      const Config& config = configs[i];
      block.bm[i] = positive(config[block_m_]);
      block.bn[i] = positive(config[block_n_]);
      block.bk[i] = positive(config[block_k_]);
      block.stages[i] = positive(config[stages_]);
      block.warps[i] = positive(config[warps_]);
      // 8 is Triton's usual, and Inductor's only one.
      block.group[i] = group_ ? positive(config[*group_]) : 8;
      block.split[i] = split_ ? positive(config[*split_]) : 1;
    }
    for (float* column :
         {block.bm, block.bn, block.bk, block.stages, block.warps, block.group, block.split}) {
      for (size_t i = configs.size(); i % kMostLanes != 0; ++i) column[i] = column[i - 1];
    }
  }
  static float positive(int32_t value) { return static_cast<float>(std::max(1, value)); }

  void set_problem_features() {
    const Lanes one = broadcast(1);
    const Q q(task_, {one, one, one, one, one, one, one});
    for (size_t i = 0; i < kProblemCount; ++i) problem_[i] = kRows[i].value(q)[0];
  }

  GpuTask task_;
  GpuRows* rows_ = runnable_gpu_rows().front();
  std::array<float, kProblemCount> problem_{};
  size_t block_m_ = 0;
  size_t block_n_ = 0;
  size_t block_k_ = 0;
  size_t stages_ = 0;
  size_t warps_ = 0;
  std::optional<size_t> group_;
  std::optional<size_t> split_;
};

}  // namespace

const FeatureTable& gpu_feature_table() {
  static const FeatureTable kTable = make_table(DeviceKind::kGpu, kDescriptions, kQuantities);
  return kTable;
}

Result<std::unique_ptr<const FeatureExtractor::Kind>> make_gpu_kind(const RankingTask& task) {
  return GpuKind::make(task);
}
#endif

}  // namespace triode
