// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <span>
#include <vector>

#include "jit/x86/gemm_rules.h"
#include "jit/x86/gemm_space.h"
#include "jit/x86/orientation.h"
#include "jit/x86/register_tile.h"

namespace triode::x86 {
namespace {

// Collects configs that turn out to be legal, each once.
class Seeds {
 public:
  explicit Seeds(const Space& space) : space_(space) {}

  void offer(const GemmConfig& config) {
    const Config candidate = to_config(config);
    if (std::find(found_.begin(), found_.end(), candidate) != found_.end()) return;
    if (space_.is_legal(candidate)) found_.push_back(candidate);
  }
  // Those of both, in turns.
  void offer_in_turns(const std::vector<Config>& x, const std::vector<Config>& y) {
    for (size_t i = 0; i < std::max(x.size(), y.size()); ++i) {
      if (i < x.size()) offer(to_gemm_config(x[i]));
      if (i < y.size()) offer(to_gemm_config(y[i]));
    }
  }
  std::vector<Config> take() { return std::move(found_); }

 private:
  const Space& space_;
  std::vector<Config> found_;
};

// Ways to move blocks through the caches; 0 is "whole", as in GemmConfig.
struct Strategy {
  PackB pack_b;
  LoopOrder order;
  int32_t kc;
  int32_t mc;
  int32_t prefetch_b;
  PackA pack_a = PackA::kNone;
  bool fetches_ahead = false;  // the next panel of b and the tile of c
  int32_t nc = 0;
};

// Where b is read many times. In the order in which they won on a Zen 3, a Sapphire Rapids and a
// Cascade Lake core.
constexpr Strategy kManyRows[] = {
    {PackB::kNone, LoopOrder::kRowsOuter, 0, 0, 0},
    {PackB::kPanel, LoopOrder::kColumnsOuter, 0, 0, 8},
    {PackB::kPanel, LoopOrder::kColumnsOuter, 256, 0, 4, PackA::kCopy, true},
    {PackB::kPanel, LoopOrder::kColumnsOuter, 512, 0, 8, PackA::kNone, true},
    {PackB::kWhole, LoopOrder::kRowsOuter, 256, 192, 0},
    {PackB::kWhole, LoopOrder::kColumnsOuter, 384, 192, 0},
    {PackB::kNone, LoopOrder::kColumnsOuter, 0, 0, 8},
    {PackB::kPanel, LoopOrder::kColumnsOuter, 256, 192, 8},
    {PackB::kWhole, LoopOrder::kRowsOuter, 0, 0, 0},
    {PackB::kWhole, LoopOrder::kColumnsOuter, 512, 96, 0, PackA::kCopy},
    {PackB::kPanel, LoopOrder::kColumnsOuter, 512, 0, 8},
};

// Where b is transposed, and so has to be packed by blocks: narrow ones, which are in L1 or L2 when
// they are used.
constexpr Strategy kTransposedB[] = {
    {PackB::kWhole, LoopOrder::kColumnsOuter, 0, 0, 0, PackA::kNone, false, 96},
    {PackB::kWhole, LoopOrder::kColumnsOuter, 512, 0, 0, PackA::kNone, true, 96},
    {PackB::kWhole, LoopOrder::kColumnsOuter, 256, 0, 0, PackA::kCopy, true, 192},
    {PackB::kWhole, LoopOrder::kRowsOuter, 0, 0, 0},
    {PackB::kWhole, LoopOrder::kRowsOuter, 256, 192, 0},
    {PackB::kWhole, LoopOrder::kColumnsOuter, 384, 192, 0, PackA::kCopy},
    {PackB::kWhole, LoopOrder::kColumnsOuter, 512, 96, 0, PackA::kCopy},
    {PackB::kWhole, LoopOrder::kColumnsOuter, 0, 0, 0},
};

// Where b streams by once or nearly so: in short blocks of k with c in L1, or panel by panel.
constexpr Strategy kFewRowsStrategies[] = {
    {PackB::kNone, LoopOrder::kColumnsOuter, 0, 0, 8},
    {PackB::kNone, LoopOrder::kColumnsOuter, 16, 0, 0},
    {PackB::kNone, LoopOrder::kColumnsOuter, 512, 0, 8, PackA::kCopy},
    {PackB::kNone, LoopOrder::kColumnsOuter, 64, 0, 16, PackA::kCopy},
    {PackB::kNone, LoopOrder::kColumnsOuter, 8, 0, 0},
    {PackB::kNone, LoopOrder::kColumnsOuter, 128, 0, 4},
    {PackB::kNone, LoopOrder::kColumnsOuter, 32, 0, 0},
    {PackB::kWhole, LoopOrder::kColumnsOuter, 256, 0, 0},
};

// Turning the columns of b that a dot kernel takes costs about as much as so many rows of it.
constexpr int64_t kRowsToTurnColumn = 8;

EdgeStore edge_for(GemmConfig tile, const Problem& problem) {
  tile.edge = EdgeStore::kDot;
  const int64_t left = problem.n % describe(tile.isa).lanes(size_bytes(problem.c_type));
  const bool pays = GemmRules(problem).edge_fits(tile) && problem.m >= kRowsToTurnColumn * left;
  return pays ? EdgeStore::kDot : EdgeStore::kMasked;
}

// The tallest tile of each width, most useful width first.
std::vector<GemmConfig> outer_tiles(IsaId isa, const Problem& problem) {
  std::vector<GemmConfig> tiles;
  const int32_t lanes = describe(isa).lanes(size_bytes(problem.c_type));
  for (const int32_t vectors : {4, 2, 3, 1, 6, 8, 12, 20, 28}) {
    const int32_t tallest = tallest_outer_tile(describe(isa), vectors, false);
    GemmConfig tile;
    tile.isa = isa;
    tile.mr = static_cast<int32_t>(std::min<int64_t>(problem.m, tallest));
    tile.nr = vectors * lanes;
    tile.ku = problem.k <= 16 ? static_cast<int32_t>(problem.k) : 4;
    tile.edge = edge_for(tile, problem);
    if (tile.mr >= 1) tiles.push_back(tile);
  }
  return tiles;
}

GemmConfig combined(GemmConfig tile, const Strategy& strategy, const Problem& problem) {
  tile.pack_b = strategy.pack_b;
  tile.pack_a = strategy.pack_a;
  tile.order = strategy.order;
  tile.kc = strategy.kc < problem.k ? strategy.kc : 0;
  tile.mc = strategy.mc < problem.m ? strategy.mc : 0;
  tile.nc = strategy.nc < problem.n ? strategy.nc : 0;
  tile.prefetch_b = strategy.prefetch_b;
  tile.prefetch_panel = strategy.fetches_ahead && tile.pack_b == PackB::kPanel ? 1 : 0;
  tile.prefetch_c = strategy.fetches_ahead ? 1 : 0;
  return tile;
}

// Where b is far larger than the second-level cache, reading it unpacked misses the TLB as well:
// then the strategies that pack come first.
std::vector<Strategy> in_order_for(const Problem& problem, std::span<const Strategy> strategies) {
  constexpr double kLargeBytes = 1 << 20;
  std::vector<Strategy> ordered(strategies.begin(), strategies.end());
  const double b_bytes =
      static_cast<double>(problem.k) * static_cast<double>(problem.n) * size_bytes(problem.c_type);
  if (b_bytes >= kLargeBytes && problem.m > kFewRows) {
    std::stable_partition(ordered.begin(), ordered.end(),
                          [](const Strategy& s) { return s.pack_b != PackB::kNone; });
  }
  return ordered;
}

// A transposed a is turned while it is packed, which pays if it is large and read often; read where
// it lies, every step of k is another line. Which way is better shows by trying both.
void offer_both_packings(Seeds& seeds, GemmConfig config, const Problem& problem) {
  constexpr int64_t kFitsL1 = 4096;
  if (problem.a_transposed) {
    config.pack_a = problem.m * problem.k > kFitsL1 ? PackA::kCopy : PackA::kNone;
    seeds.offer(config);
    config.pack_a = config.pack_a == PackA::kCopy ? PackA::kNone : PackA::kCopy;
  }
  seeds.offer(config);
}

// By diagonals, so that a short search sees the best of both lists and not one strategy alone.
void offer_outer(Seeds& seeds, IsaId isa, const Problem& problem, std::span<const Strategy> given) {
  const std::vector<Strategy> strategies = in_order_for(problem, given);
  const std::vector<GemmConfig> tiles = outer_tiles(isa, problem);
  for (size_t diagonal = 0; diagonal + 1 < strategies.size() + tiles.size(); ++diagonal) {
    for (size_t i = 0; i <= diagonal && i < strategies.size(); ++i) {
      if (diagonal - i >= tiles.size()) continue;
      offer_both_packings(seeds, combined(tiles[diagonal - i], strategies[i], problem), problem);
    }
  }
}

// Where c is so narrow, they leave no lane idle, whatever else may be tried.
void offer_pairs(Seeds& seeds, IsaId isa, const Problem& problem) {
  const int64_t lanes = describe(isa).lanes(size_bytes(problem.c_type));
  GemmConfig tile;
  tile.isa = isa;
  tile.nr = static_cast<int32_t>(lanes / 2);
  for (const int32_t rows : {8, 16, 12, 24, 4, 28, 6}) {
    tile.mr = static_cast<int32_t>(std::min<int64_t>(problem.m, rows));
    for (const int32_t ku : {8, 4, 16, 2, 1}) {
      tile.ku = ku;
      seeds.offer(tile);
    }
  }
}

void offer_dots(Seeds& seeds, IsaId isa, const Problem& problem) {
  GemmConfig tile;
  tile.isa = isa;
  tile.family = Family::kDot;
  tile.pack_a = problem.a_transposed ? PackA::kCopy : PackA::kNone;
  tile.pack_b = problem.b_transposed ? PackB::kNone : PackB::kWhole;
  for (const int32_t columns : {4, 5, 6, 3, 8, 10, 2, 1}) {
    int32_t rows = 1;
    while (dot_tile_fits(describe(isa), rows + 1, columns)) ++rows;
    tile.mr = static_cast<int32_t>(std::min<int64_t>(problem.m, rows));
    tile.nr = columns;
    for (const int32_t kc : {0, 512}) {
      for (const LoopOrder order : {LoopOrder::kColumnsOuter, LoopOrder::kRowsOuter}) {
        tile.kc = kc;
        tile.order = order;
        tile.ku = problem.k >= 8 * describe(isa).lanes(size_bytes(problem.c_type)) ? 4 : 1;
        seeds.offer(tile);
      }
    }
  }
}

}  // namespace

std::vector<Config> promising_configs(const Space& space, const Problem& given) {
  const Problem problem = orient(given).problem;
  Seeds seeds(space);
  const bool few_rows = problem.m <= kFewRows && !problem.b_transposed;
  // Where both operands lie along k and b is not read often enough to pay for turning it without
  // question.
  const bool dots_in_turns =
      problem.b_transposed && !problem.a_transposed && problem.m <= 4 * kFewRows;
  std::vector<IsaId> isas;
  for (const int32_t id : space.parameters()[0].values) isas.push_back(static_cast<IsaId>(id));
  // Wide vectors first, but for matrices they would leave mostly empty.
  std::stable_sort(isas.begin(), isas.end(), [&](IsaId x, IsaId y) {
    const auto waste = [&](IsaId isa) {
      return describe(isa).lanes(size_bytes(problem.c_type)) > problem.n;
    };
    if (waste(x) != waste(y)) return waste(y);
    return describe(x).vector_bytes > describe(y).vector_bytes;
  });
  for (const IsaId isa : isas) offer_pairs(seeds, isa, problem);
  for (const IsaId isa : isas) {
    Seeds dots(space), outer(space);
    offer_dots(dots, isa, problem);
    if (few_rows) offer_outer(outer, isa, problem, kFewRowsStrategies);
    offer_outer(outer, isa, problem,
                problem.b_transposed ? std::span<const Strategy>(kTransposedB) : kManyRows);
    if (dots_in_turns) {
      seeds.offer_in_turns(dots.take(), outer.take());
    } else {
      seeds.offer_in_turns(outer.take(), {});
      seeds.offer_in_turns(dots.take(), {});
    }
  }
  std::vector<Config> found = seeds.take();
  return found.empty() ? space.enumerate(1) : found;
}

}  // namespace triode::x86
