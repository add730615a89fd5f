// SPDX-License-Identifier: Apache-2.0
// The features of a cpu matmul of jit/x86: one row each, with its formula and the code of it.
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "learner/model/cpu_quantities.h"
#include "learner/model/feature_kind.h"
#include "learner/model/feature_rows.h"
#include "learner/model/lanes.h"

namespace triode {
namespace {

using Q = CpuQuantities;

Lanes L(Lanes x) {
  return log2_of(x);
}

constexpr auto kProblem = FeatureScope::kProblem;
constexpr auto kConfig = FeatureScope::kConfig;
constexpr auto kBoth = FeatureScope::kBoth;

constexpr std::string_view kQuantities[] = {
    "L(x) = log2(max(x, 1e-12))",
    "M, N, K, ta, tb = the problem, a column result as a row result; by = bytes of an element",
    "lanes = vector bytes of the config's isa / by",
    "nv = dot ? nr : ceil(nr / lanes); sums = mr * nv; loads = (mr + nv) / sums",
    "m, n, k = M, N, K of one thread's part",
    "kc, mc, nc = the blocks: of like size, rows and columns in whole tiles; kblocks, mblocks, "
    "nblocks = how many; blocks = kblocks mblocks nblocks",
    "row_tiles = ceil(mc / mr); panels = ceil(nc / nr); full = floor(nc / nr)",
    "last = vectors of the columns left; last_rows = the rows of their tile: what registers allow",
    "tiles = full row_tiles + (last > 0) ceil(mc / last_rows)",
    "panel = kc * nr * by; strip = kc * mr * by; a_block = mc * kc * by; b_block = kc * nc * by",
    "packed = (k * n * (whole ? 1 : panel ? mblocks : 0) + pack_a * m * k * nblocks) * by",
    "split = (b unpacked and not aligned to vectors) * (dot ? loads : 1 / mr)",
    "bytes_min = bytes of a, b and c; rate(s) = bytes a cycle from the level that holds s bytes",
    "roof = max(flops / (2 * lanes of the device * fma * threads), bytes_min / rate(bytes_min))",
    "t_comp = m * n * k / (lanes * fill_lanes * fill_k * fill_m * fma * min(1, sums / 8))",
    "step(r, v) = max(r v / fma, (r + v) / 2, 4); column(r, v) = step over the tiles of mc rows",
    "t_tile = blocks * (steps * (full column(mr, nv) + column(last_rows, last)) + tiles * (steps / "
    "ku + 11 + sums * (dot ? 4 : 1.5))), steps = dot ? ceil(kc / lanes) : kc",
    "passing = rows outer ? row_tiles * b_block : panels * a_block; staying = the other",
    "passing_set = rows outer ? b_block + strip : a_block + panel",
    "t_l2 = blocks * (passing (passing_set > L1) + staying (panel + strip > L1)) / rate of L2",
    "t_l3 = blocks * passing (passing_set > L2) / rate of L3",
    "t_dram = (m k nblocks + k n mblocks + m n (2 kblocks - 1 + beta)) * by / rate(the part)",
    "t_pack = 2 * packed / 16; t_turns = blocks * (40 + 4 panels) + threads' start",
    "t_an = batch * (max(t_tile * (1 + split / 2), t_l2, t_l3, t_dram) + t_pack + t_turns), cycles",
};

// clang-format off
constexpr FeatureRow<Q> kRows[] = {
    {{"log2_m", "L(M)", "log2", kProblem}, [](const Q& q) { return L(q.t.M); }},
    {{"log2_n", "L(N)", "log2", kProblem}, [](const Q& q) { return L(q.t.N); }},
    {{"log2_k", "L(K)", "log2", kProblem}, [](const Q& q) { return L(q.t.K); }},
    {{"log2_batch", "L(batch)", "log2", kProblem}, [](const Q& q) { return L(q.t.batch); }},
    {{"element_bytes", "by", "bytes", kProblem}, [](const Q& q) { return q.t.by; }},
    {{"a_transposed", "ta", "0 or 1", kProblem}, [](const Q& q) { return q.t.ta; }},
    {{"b_transposed", "tb", "0 or 1", kProblem}, [](const Q& q) { return q.t.tb; }},
    {{"align_a", "L(min(128, by * largest power of two up to 64 that divides lda))", "log2 bytes",
      kProblem}, [](const Q& q) { return q.t.align_a; }},
    {{"align_b", "the same of ldb", "log2 bytes", kProblem}, [](const Q& q) { return q.t.align_b; }},
    {{"align_c", "the same of ldc", "log2 bytes", kProblem}, [](const Q& q) { return q.t.align_c; }},
    {{"pointer_alignment", "L(alignment of the operands)", "log2 bytes", kProblem},
     [](const Q& q) { return q.t.pointer; }},
    {{"page_conflict", "a row pitch is a multiple of 4 KiB", "0 or 1", kProblem},
     [](const Q& q) { return q.t.conflict; }},
    {{"accumulates", "beta is not zero", "0 or 1", kProblem},
     [](const Q& q) { return q.t.accumulates; }},
    {{"intensity", "L(flops / bytes_min)", "log2 flops per byte", kProblem},
     [](const Q& q) { return L(q.t.flops / q.t.bytes_min); }},
    {{"flops", "L(flops)", "log2", kProblem}, [](const Q& q) { return L(q.t.flops); }},
    {{"roof", "L(roof)", "log2 cycles", kProblem}, [](const Q& q) { return L(q.t.roof_cycles); }},
    {{"operands_in_l1", "L(bytes_min / L1)", "log2", kProblem},
     [](const Q& q) { return L(q.t.bytes_min / q.t.L1); }},
    {{"operands_in_l2", "L(bytes_min / L2)", "log2", kProblem},
     [](const Q& q) { return L(q.t.bytes_min / q.t.L2); }},
    {{"operands_in_l3", "L(bytes_min / L3)", "log2", kProblem},
     [](const Q& q) { return L(q.t.bytes_min / q.t.L3); }},
    {{"b_in_l2", "L(bytes of b / L2)", "log2", kProblem},
     [](const Q& q) { return L(q.t.b_bytes / q.t.L2); }},
    {{"thread_budget", "L(threads the call may use)", "log2", kProblem},
     [](const Q& q) { return L(q.t.budget); }},
    {{"device_vector", "L(vector bytes of the device)", "log2 bytes", kProblem},
     [](const Q& q) { return L(q.t.width); }},
    {{"device_l1", "L(L1)", "log2 bytes", kProblem}, [](const Q& q) { return L(q.t.L1); }},
    {{"device_l2", "L(L2)", "log2 bytes", kProblem}, [](const Q& q) { return L(q.t.L2); }},
    {{"device_l3", "L(L3)", "log2 bytes", kProblem}, [](const Q& q) { return L(q.t.L3); }},

    {{"vector_bytes", "L(vector bytes of the isa)", "log2 bytes", kConfig},
     [](const Q& q) { return L(q.c.vector_bytes); }},
    {{"registers", "L(vector registers of the isa)", "log2", kConfig},
     [](const Q& q) { return L(q.c.registers); }},
    {{"dot", "the kernel sums along k", "0 or 1", kConfig}, [](const Q& q) { return q.c.dot; }},
    {{"tile_rows", "L(mr)", "log2", kConfig}, [](const Q& q) { return L(q.c.mr); }},
    {{"tile_columns", "L(nr)", "log2", kConfig}, [](const Q& q) { return L(q.c.nr); }},
    {{"tile_vectors", "L(nv)", "log2", kBoth}, [](const Q& q) { return L(q.nv); }},
    {{"unroll", "L(ku)", "log2", kConfig}, [](const Q& q) { return L(q.c.ku); }},
    {{"sums", "L(sums)", "log2", kBoth}, [](const Q& q) { return L(q.sums); }},
    {{"latency_hidden", "min(1, sums / 8)", "1", kBoth},
     [](const Q& q) { return smaller(broadcast(1), q.sums / 8); }},
    {{"register_pressure", "(sums + min(mr, nv) + 1) / registers", "1", kBoth},
     [](const Q& q) { return (q.sums + smaller(q.c.mr, q.nv) + 1) / q.c.registers; }},
    {{"loads_per_fma", "loads", "1", kBoth}, [](const Q& q) { return q.loads; }},
    {{"pack_a", "a is copied", "0 or 1", kConfig}, [](const Q& q) { return q.c.pack_a; }},
    {{"pack_b_whole", "blocks of b are packed", "0 or 1", kConfig},
     [](const Q& q) { return q.c.pack_whole; }},
    {{"pack_b_panel", "panels of b are packed when first read", "0 or 1", kConfig},
     [](const Q& q) { return q.c.pack_panel; }},
    {{"rows_outer", "row tiles in the outer loop", "0 or 1", kConfig},
     [](const Q& q) { return q.c.rows_outer; }},
    {{"rows_balanced", "row tiles of like height", "0 or 1", kConfig},
     [](const Q& q) { return q.c.balanced; }},
    {{"split_stores", "partial vectors stored in pieces", "0 or 1", kConfig},
     [](const Q& q) { return q.c.split_stores; }},
    {{"streaming", "c is stored past the caches", "0 or 1", kConfig},
     [](const Q& q) { return q.c.streaming; }},
    {{"prefetch_a", "rows of the next tile are fetched", "0 or 1", kConfig},
     [](const Q& q) { return q.c.prefetch_a; }},
    {{"prefetch_a_far", "into L2 alone", "0 or 1", kConfig},
     [](const Q& q) { return q.c.prefetch_a_far; }},
    {{"prefetch_b", "L(1 + prefetch_b)", "log2 rows", kConfig},
     [](const Q& q) { return L(1 + q.c.prefetch_b); }},
    {{"prefetch_c", "prefetch_c", "0 or 1", kConfig}, [](const Q& q) { return q.c.prefetch_c; }},
    {{"prefetch_panel", "prefetch_panel", "0 or 1", kConfig},
     [](const Q& q) { return q.c.prefetch_panel; }},
    {{"threads", "L(threads)", "log2", kConfig}, [](const Q& q) { return L(q.c.threads); }},
    {{"split_columns", "threads share columns", "0 or 1", kConfig},
     [](const Q& q) { return q.c.by_columns; }},
    {{"split_depth", "threads share k", "0 or 1", kConfig}, [](const Q& q) { return q.c.by_depth; }},

    {{"depth_block", "L(kc)", "log2", kBoth}, [](const Q& q) { return L(q.kc); }},
    {{"row_block", "L(mc)", "log2", kBoth}, [](const Q& q) { return L(q.mc); }},
    {{"column_block", "L(nc)", "log2", kBoth}, [](const Q& q) { return L(q.nc); }},
    {{"depth_blocks", "L(kblocks)", "log2", kBoth}, [](const Q& q) { return L(q.kblocks); }},
    {{"row_blocks", "L(mblocks)", "log2", kBoth}, [](const Q& q) { return L(q.mblocks); }},
    {{"column_blocks", "L(nblocks)", "log2", kBoth}, [](const Q& q) { return L(q.nblocks); }},
    {{"row_tiles", "L(row_tiles)", "log2", kBoth}, [](const Q& q) { return L(q.row_tiles); }},
    {{"panels", "L(panels)", "log2", kBoth}, [](const Q& q) { return L(q.panels); }},
    {{"turns", "L(kc / (dot ? ku * lanes : ku))", "log2", kBoth},
     [](const Q& q) { return L(q.kc / (q.c.ku * (q.c.dot * q.lanes + 1 - q.c.dot))); }},
    {{"panel_in_l1", "L(panel / L1)", "log2", kBoth},
     [](const Q& q) { return L(q.panel_bytes / q.t.L1); }},
    {{"strip_in_l1", "L(strip / L1)", "log2", kBoth},
     [](const Q& q) { return L(q.strip_bytes / q.t.L1); }},
    {{"tile_in_l1", "L((panel + strip) / L1)", "log2", kBoth},
     [](const Q& q) { return L((q.panel_bytes + q.strip_bytes) / q.t.L1); }},
    {{"a_block_in_l2", "L(a_block / L2)", "log2", kBoth},
     [](const Q& q) { return L(q.a_block / q.t.L2); }},
    {{"b_block_in_l2", "L(b_block / L2)", "log2", kBoth},
     [](const Q& q) { return L(q.b_block / q.t.L2); }},
    {{"blocks_in_l2", "L((a_block + b_block) / L2)", "log2", kBoth},
     [](const Q& q) { return L((q.a_block + q.b_block) / q.t.L2); }},
    {{"b_block_in_l3", "L(b_block * threads / L3)", "log2", kBoth},
     [](const Q& q) { return L(q.b_block * q.c.threads / q.t.L3); }},
    {{"fill_m", "L(mc / (row_tiles * mr))", "log2", kBoth}, [](const Q& q) { return L(q.fill_m); }},
    {{"fill_n", "L(nc / (panels * nr))", "log2", kBoth}, [](const Q& q) { return L(q.fill_n); }},
    {{"fill_lanes", "L(nc / whole vectors), outer", "log2", kBoth},
     [](const Q& q) { return L(q.fill_lanes); }},
    {{"fill_k", "L(kc / whole vectors), dot", "log2", kBoth}, [](const Q& q) { return L(q.fill_k); }},
    {{"packed", "L(1 + packed / bytes_min)", "log2", kBoth},
     [](const Q& q) { return L(1 + q.packed_bytes / q.t.bytes_min); }},
    {{"packed_per_flop", "L(1 + 64 * packed / flops)", "log2", kBoth},
     [](const Q& q) { return L(1 + 64 * q.packed_bytes / q.t.flops); }},
    {{"unpacked_pitch", "(b is not packed) * L(1 + pitch of b / 4096)", "log2 pages", kBoth},
     [](const Q& q) { return q.unpacked_b * L(1 + q.t.pitch_b / 4096); }},
    {{"unpacked_conflict", "(b is not packed) * page_conflict", "0 or 1", kBoth},
     [](const Q& q) { return q.unpacked_b * q.t.conflict; }},
    {{"balance", "L(M N K / (m n k threads))", "log2", kBoth}, [](const Q& q) { return L(q.balance); }},
    {{"thread_flops", "L(flops / threads)", "log2", kBoth},
     [](const Q& q) { return L(q.t.flops / q.c.threads); }},
    {{"last_panel", "last / nv", "1", kBoth}, [](const Q& q) { return q.last_vectors / q.nv; }},
    {{"tiles", "L(blocks * tiles)", "log2", kBoth},
     [](const Q& q) { return L(q.kblocks * q.mblocks * q.nblocks * q.tiles); }},
    {{"split_loads", "split", "1", kBoth}, [](const Q& q) { return q.split_loads; }},
    {{"tail_k", "(kc mod ku) / kc", "1", kBoth},
     [](const Q& q) { return (q.kc - floor_of(q.kc / q.c.ku) * q.c.ku) / q.kc; }},
    {{"time_compute", "L(t_comp / roof)", "log2", kBoth},
     [](const Q& q) { return L(q.t_comp / q.t.roof_cycles); }},
    {{"time_tile", "L(t_tile / roof)", "log2", kBoth},
     [](const Q& q) { return L(q.t_tile / q.t.roof_cycles); }},
    {{"time_l2", "L(t_l2 / roof + 0.01)", "log2", kBoth},
     [](const Q& q) { return L(q.t_l2 / q.t.roof_cycles + 0.01f); }},
    {{"time_l3", "L(t_l3 / roof + 0.01)", "log2", kBoth},
     [](const Q& q) { return L(q.t_l3 / q.t.roof_cycles + 0.01f); }},
    {{"passing_in_l1", "L(passing_set / L1)", "log2", kBoth},
     [](const Q& q) { return L(q.passing_set / q.t.L1); }},
    {{"time_dram", "L(t_dram / roof)", "log2", kBoth},
     [](const Q& q) { return L(q.t_dram / q.t.roof_cycles); }},
    {{"time_pack", "L(t_pack / roof + 0.001)", "log2", kBoth},
     [](const Q& q) { return L(q.t_pack / q.t.roof_cycles + 0.001f); }},
    {{"time_turns", "L(t_turns / roof)", "log2", kBoth},
     [](const Q& q) { return L(q.t_turns / q.t.roof_cycles); }},
    {{"time_analytical", "L(t_an / roof)", "log2", kBoth},
     [](const Q& q) { return L(q.t_an / q.t.roof_cycles); }},
};
// clang-format on

constexpr auto kDescriptions = descriptions_of(kRows);
constexpr size_t kProblemCount = problem_rows(kRows);

// What a value of the parameter "isa" stands for.
struct IsaWidth {
  float vector_bytes = 32;
  float registers = 16;
};

IsaWidth width_of(std::string_view label) {
  if (label == "avx512") return {64, 32};
  if (label == "avx512-ymm") return {32, 32};
  return {32, 16};
}

// Where the parameters stand in a config. Those that a space does not have keep their neutral
// value.
struct GemmPositions {
  explicit GemmPositions(const Space& space)
      : isa(space.position_of("isa")),
        family(space.position_of("family")),
        ku(space.position_of("ku")),
        kc(space.position_of("kc")),
        mc(space.position_of("mc")),
        nc(space.position_of("nc")),
        pack_a(space.position_of("pack_a")),
        pack_b(space.position_of("pack_b")),
        order(space.position_of("order")),
        rows(space.position_of("rows")),
        edge(space.position_of("edge")),
        stores(space.position_of("stores")),
        prefetch_a(space.position_of("prefetch_a")),
        prefetch_b(space.position_of("prefetch_b")),
        prefetch_panel(space.position_of("prefetch_panel")),
        prefetch_c(space.position_of("prefetch_c")),
        threads(space.position_of("threads")),
        split(space.position_of("split")) {}

  size_t mr = 0;
  size_t nr = 0;
  std::optional<size_t> isa, family, ku, kc, mc, nc, pack_a, pack_b, order, rows, edge, stores,
      prefetch_a, prefetch_b, prefetch_panel, prefetch_c, threads, split;
};

class CpuKind final : public FeatureExtractor::Kind {
 public:
  static Result<std::unique_ptr<const FeatureExtractor::Kind>> make(const RankingTask& task) {
    std::unique_ptr<CpuKind> kind(new CpuKind(TRIODE_TRY(CpuTask::make(task)), task.space));
    kind->at_.mr = TRIODE_TRY(required_position(task.space, "mr"));
    kind->at_.nr = TRIODE_TRY(required_position(task.space, "nr"));
    kind->set_problem_features();
    return std::unique_ptr<const FeatureExtractor::Kind>(std::move(kind));
  }

  const FeatureTable& table() const override { return cpu_feature_table(); }
  std::span<const float> problem_features() const override { return problem_; }
  double roof_s() const override { return task_.roof_cycles[0] / task_.hz[0]; }
  double launch_s() const override { return 0; }

  void extract_varying(std::span<const Config> configs, float* columns,
                       size_t stride) const override {
    for (size_t i = 0; i < configs.size(); i += kLanes) {
      const size_t count = std::min<size_t>(kLanes, configs.size() - i);
      const Q q(task_, read(configs.subspan(i, count)));
      store_rows<kProblemCount>(kRows, q, columns + i, stride, count);
    }
  }

  double analytical_s(const Config& config) const override {
    return Q(task_, read({&config, 1})).t_an[0] / task_.hz[0];
  }

  // The rules of the space leave nothing that cannot run.
  Fit fit(const Config&) const override { return Fit::kFits; }

  // Dot kernels are one class, outer ones three by how b is packed.
  int mechanism(const Config& config) const override {
    if (value(config, at_.family, 0) == 1) return 3;
    return std::clamp(value(config, at_.pack_b, 0), 0, 2);
  }

 private:
  CpuKind(const CpuTask& task, const Space& space) : task_(task), at_(space) {
    if (!at_.isa) return;
    const Parameter& isa = space.parameters()[*at_.isa];
    for (size_t i = 0; i < isa.values.size() && i < isa.labels.size(); ++i) {
      widths_[isa.values[i]] = width_of(isa.labels[i]);
    }
  }

  static int32_t value(const Config& config, std::optional<size_t> position, int32_t neutral) {
    return position ? config[*position] : neutral;
  }
  static float positive(int32_t number) { return static_cast<float>(std::max(1, number)); }
  static float one_if_equal(int32_t number, int32_t wanted) { return number == wanted ? 1 : 0; }

  IsaWidth width(const Config& config) const {
    if (!at_.isa) return {};
    const auto found = widths_.find(config[*at_.isa]);
    return found == widths_.end() ? IsaWidth{} : found->second;
  }

  GemmLanes read(std::span<const Config> configs) const {
    GemmLanes lanes{};
    // Lanes without a config repeat the last: their values are not stored.
    for (int lane = 0; lane < kLanes; ++lane) {
      read_lane(configs[std::min<size_t>(lane, configs.size() - 1)], lane, lanes);
    }
    return lanes;
  }

  void read_lane(const Config& config, int i, GemmLanes& lanes) const {
    const auto number = [&](std::optional<size_t> position, int32_t neutral) {
      return static_cast<float>(value(config, position, neutral));
    };
    const IsaWidth isa = width(config);
    lanes.vector_bytes[i] = isa.vector_bytes;
    lanes.registers[i] = isa.registers;
    lanes.dot[i] = number(at_.family, 0);
    lanes.mr[i] = positive(config[at_.mr]);
    lanes.nr[i] = positive(config[at_.nr]);
    lanes.ku[i] = positive(value(config, at_.ku, 1));
    lanes.kc[i] = number(at_.kc, 0);
    lanes.mc[i] = number(at_.mc, 0);
    lanes.nc[i] = number(at_.nc, 0);
    lanes.pack_a[i] = number(at_.pack_a, 0);
    lanes.pack_whole[i] = one_if_equal(value(config, at_.pack_b, 0), 1);
    lanes.pack_panel[i] = one_if_equal(value(config, at_.pack_b, 0), 2);
    lanes.rows_outer[i] = number(at_.order, 0);
    lanes.balanced[i] = number(at_.rows, 0);
    lanes.split_stores[i] = one_if_equal(value(config, at_.edge, 0), 1);
    lanes.streaming[i] = number(at_.stores, 0);
    lanes.prefetch_a[i] = value(config, at_.prefetch_a, 0) == 0 ? 0 : 1;
    lanes.prefetch_a_far[i] = one_if_equal(value(config, at_.prefetch_a, 0), 2);
    lanes.prefetch_b[i] = number(at_.prefetch_b, 0);
    lanes.prefetch_c[i] = number(at_.prefetch_c, 0);
    lanes.prefetch_panel[i] = number(at_.prefetch_panel, 0);
    lanes.threads[i] = positive(value(config, at_.threads, 1));
    const int32_t split = value(config, at_.split, 0);
    lanes.by_rows[i] = one_if_equal(split, 0);
    lanes.by_columns[i] = one_if_equal(split, 1);
    lanes.by_depth[i] = one_if_equal(split, 2);
  }

  void set_problem_features() {
    GemmLanes neutral{};
    for (Lanes* lanes : {&neutral.vector_bytes, &neutral.registers, &neutral.mr, &neutral.nr,
                         &neutral.ku, &neutral.threads}) {
      *lanes = broadcast(32);
    }
    const Q q(task_, neutral);
    for (size_t i = 0; i < kProblemCount; ++i) problem_[i] = kRows[i].value(q)[0];
  }

  CpuTask task_;
  std::array<float, kProblemCount> problem_{};
  GemmPositions at_;
  std::map<int32_t, IsaWidth> widths_;  // by value of the parameter "isa"
};

}  // namespace

const FeatureTable& cpu_feature_table() {
  static const FeatureTable kTable = make_table(DeviceKind::kCpu, kDescriptions, kQuantities);
  return kTable;
}

Result<std::unique_ptr<const FeatureExtractor::Kind>> make_cpu_kind(const RankingTask& task) {
  return CpuKind::make(task);
}

}  // namespace triode
