// SPDX-License-Identifier: Apache-2.0
#include "jit/x86/gemm_space.h"

#include <algorithm>
#include <set>
#include <string>
#include <type_traits>

#include "jit/x86/gemm_rules.h"
#include "jit/x86/orientation.h"
#include "jit/x86/register_tile.h"

namespace triode::x86 {
namespace {

// Calls `visit` with each field of a GemmConfig, in the order of the space's parameters: the one
// place that says which is which.
template <typename Typed, typename Visit>
void visit_fields(Typed& typed, const Visit& visit) {
  size_t position = 0;
  const auto each = [&](auto&... fields) { (visit(position++, fields), ...); };
  each(typed.isa, typed.family, typed.mr, typed.nr, typed.ku, typed.kc, typed.mc, typed.nc,
       typed.pack_a, typed.pack_b, typed.order, typed.rows, typed.edge, typed.stores,
       typed.prefetch_a, typed.prefetch_b, typed.prefetch_panel, typed.prefetch_c, typed.threads,
       typed.split);
}

constexpr size_t kFieldCount = 20;

using Values = std::vector<int32_t>;

Values below(int64_t limit, const Values& values, Values always) {
  for (const int32_t value : values) {
    if (value < limit) always.push_back(value);
  }
  return always;
}

Values tile_rows(int64_t m) {
  Values rows = below(m, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 18, 20, 24, 28, 31}, {});
  if (m <= 31) rows.push_back(static_cast<int32_t>(m));
  return rows;
}

// Dot tiles count columns, outer tiles whole vectors of them, or a half for two rows in each.
Values tile_columns(const Problem& problem, std::span<const IsaId> isas) {
  std::set<int32_t> columns;
  for (const int32_t dot : {1, 2, 3, 4, 5, 6, 8, 10}) {
    if (dot <= problem.n) columns.insert(dot);
  }
  for (const IsaId isa : isas) {
    const int32_t lanes = describe(isa).lanes(size_bytes(problem.c_type));
    for (const int32_t vectors : {1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 20, 28}) {
      if (vectors * lanes < problem.n + lanes) columns.insert(vectors * lanes);
    }
    const bool pairs = pairs_rows(describe(isa), problem.c_type, lanes / 2);
    if (pairs && problem.n <= lanes / 2) columns.insert(lanes / 2);
  }
  return {columns.begin(), columns.end()};
}

Values depth_blocks(const Problem& problem) {
  // Short blocks of k pay where b is read once: c stays in L1 while whole rows of b stream by.
  const bool few_rows = problem.m <= kFewRows;
  const Values sizes = few_rows ? Values{4, 8, 16, 32, 64, 128, 256, 512}
                                : Values{128, 192, 256, 320, 384, 512, 768};
  return below(problem.k, sizes, {0});
}

Values thread_counts(const Problem& problem, int32_t cores) {
  const int32_t most = std::max(1, std::min(cores, problem.threads));
  Values counts = below(most, {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128}, {});
  counts.push_back(most);
  return counts;
}

std::vector<std::string> isa_names(std::span<const IsaId> isas) {
  std::vector<std::string> names;
  for (const IsaId isa : isas) names.emplace_back(describe(isa).name);
  return names;
}

Values isa_values(std::span<const IsaId> isas) {
  Values values;
  for (const IsaId isa : isas) values.push_back(static_cast<int32_t>(isa));
  return values;
}

Status check_supported(const Problem& problem, std::span<const IsaId> isas) {
  TRIODE_TRY(problem.validate());
  if (isas.empty()) return unsupported("the cpu kernels need a processor with AVX2 and FMA");
  const DType type = problem.c_type;
  const bool same = problem.a_type == type && problem.b_type == type && problem.accumulator == type;
  if (!same || (type != DType::kF32 && type != DType::kF64)) {
    return unsupported("the cpu kernels know f32 and f64 throughout, not \"" + to_string(problem) +
                       "\"");
  }
  if (problem.epilogue != Epilogue::kNone) {
    return unsupported("the cpu kernels have no epilogues: \"" + to_string(problem) + "\"");
  }
  if (problem.m == 0 || problem.n == 0 || problem.k == 0) {
    return unsupported("an empty product leaves nothing to choose: \"" + to_string(problem) + "\"");
  }
  return {};
}

// Adds a parameter and, right after it, the rules that need nothing later.
class SpaceBuilder {
 public:
  explicit SpaceBuilder(const Problem& problem) : rules_(problem) {}

  void add(std::string name, Values values, std::vector<std::string> labels = {}) {
    space_.add({std::move(name), std::move(values), std::move(labels)});
  }
  void rule(std::string reason, bool (GemmRules::*holds)(const GemmConfig&) const) {
    space_.add_rule(std::move(reason), [rules = rules_, holds](const Config& config) {
      return (rules.*holds)(to_gemm_config(config));
    });
  }
  Space take() { return std::move(space_); }

 private:
  GemmRules rules_;
  Space space_;
};

void add_tile(SpaceBuilder& space, const Problem& problem, std::span<const IsaId> isas) {
  space.add("isa", isa_values(isas), isa_names(isas));
  space.add("family", {0, 1}, {"outer", "dot"});
  space.add("mr", tile_rows(problem.m));
  space.add("nr", tile_columns(problem, isas));
  space.rule("the tile does not fit the registers, or is wider than the matrix",
             &GemmRules::tile_fits);
  space.rule("the tile leaves most registers idle", &GemmRules::tile_uses_registers);
  space.add("ku", {1, 2, 4, 8, 16, 32});
  space.rule("the loop over k is shorter than its unrolling, or the code too long",
             &GemmRules::unroll_fits);
}

void add_blocks(SpaceBuilder& space, const Problem& problem) {
  space.add("kc", depth_blocks(problem));
  space.rule("a block of k is shorter than one turn of its loop", &GemmRules::depth_block_fits);
  space.add("mc", below(problem.m, {48, 96, 192, 384}, {0}));
  space.add("nc", below(problem.n, {48, 96, 192, 384, 768, 1536}, {0}));
  space.rule("a block is smaller than the tile", &GemmRules::blocks_hold_tiles);
  space.add("pack_a", {0, 1}, {"none", "copy"});
  space.rule("a is in the wrong order for the kernel, or is read only once",
             &GemmRules::pack_a_fits);
  space.add("pack_b", {0, 1, 2}, {"none", "whole", "panel"});
  space.rule("b is in the wrong order for the kernel, or is read only once",
             &GemmRules::pack_b_fits);
  space.add("order", {0, 1}, {"columns", "rows"});
  space.rule("the order of the loops makes no difference, or defeats the packing",
             &GemmRules::order_fits);
}

void add_details(SpaceBuilder& space) {
  space.add("rows", {0, 1}, {"tail", "balanced"});
  space.rule("the rows are a multiple of the tile", &GemmRules::rows_matter);
  space.add("edge", {0, 1, 2}, {"masked", "split", "dot"});
  space.rule(
      "split stores are for partial vectors without opmasks, dots for few columns and a long k",
      &GemmRules::edge_fits);
  space.add("stores", {0, 1}, {"normal", "streaming"});
  space.rule("streaming needs a large, aligned c that is written once", &GemmRules::stores_fit);
  space.add("prefetch_a", {0, 1, 2}, {"none", "l1", "l2"});
  space.rule("there is no next row tile to fetch, or it is packed", &GemmRules::prefetch_a_fits);
  space.add("prefetch_b", {0, 4, 8, 16});
  space.rule("b is packed, or read along k", &GemmRules::prefetch_b_fits);
  space.add("prefetch_panel", {0, 1});
  space.rule("there is no next panel to fetch, or none is packed while it is read",
             &GemmRules::prefetch_panel_fits);
  space.add("prefetch_c", {0, 1});
  space.rule("an offset does not fit an instruction, or the dot kernel has no tile of c to fetch",
             &GemmRules::offsets_fit);
}

}  // namespace

Result<Space> gemm_space(const Problem& given, std::span<const IsaId> isas, int32_t cores) {
  TRIODE_TRY(check_supported(given, isas));
  const Problem problem = orient(given).problem;
  SpaceBuilder space(problem);
  add_tile(space, problem, isas);
  add_blocks(space, problem);
  add_details(space);
  space.add("threads", thread_counts(problem, cores));
  space.add("split", {0, 1, 2}, {"rows", "columns", "depth"});
  space.rule("there is nothing to share out that way", &GemmRules::split_fits);
  return space.take();
}

GemmConfig to_gemm_config(const Config& config) {
  GemmConfig typed;
  visit_fields(typed, [&](size_t position, auto& field) {
    field = static_cast<std::remove_reference_t<decltype(field)>>(config[position]);
  });
  return typed;
}

Config to_config(const GemmConfig& typed) {
  Config config(kFieldCount);
  visit_fields(typed, [&](size_t position, const auto& field) {
    config[position] = static_cast<int32_t>(field);
  });
  return config;
}

}  // namespace triode::x86
