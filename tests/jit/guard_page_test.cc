// SPDX-License-Identifier: Apache-2.0
// Edges never read or write outside the matrices: every remainder of every dimension, for several
// register tiles and every way of packing, ordering and storing, with each operand's end, then its
// start, against a page that cannot be touched.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <string>
#include <tuple>
#include <vector>

#include "core/random.h"
#include "tests/jit/program_check.h"

namespace triode::x86 {
namespace {

using ::testing::Bool;
using ::testing::Combine;
using ::testing::Values;
using ::testing::ValuesIn;

// A register tile: rows, vectors (dot: columns) and steps over k (dot: vectors of k).
struct Tile {
  Family family;
  int32_t rows;
  int32_t wide;
  int32_t unroll;
};

// Tall and narrow to flat and wide; 1 x 14 and 31 x 1 are at the limit of the registers.
const std::vector<Tile> kTiles = {
    {Family::kOuter, 6, 2, 4},  {Family::kOuter, 3, 4, 1},  {Family::kOuter, 12, 1, 2},
    {Family::kOuter, 1, 14, 2}, {Family::kOuter, 31, 1, 1}, {Family::kDot, 2, 4, 2},
    {Family::kDot, 1, 8, 1},    {Family::kDot, 3, 3, 4},    {Family::kDot, 6, 1, 1},
};

struct Sizes {
  int64_t m, n, k;
};

// Each dimension through 1 ... 2 * tile + 1, the others at a remainder of their own.
std::vector<Sizes> sweep(const Sizes& tile) {
  std::vector<Sizes> all;
  for (int64_t m = 1; m <= 2 * tile.m + 1; ++m) all.push_back({m, tile.n + 1, tile.k + 1});
  for (int64_t n = 1; n <= 2 * tile.n + 1; ++n) all.push_back({tile.m + 1, n, 2 * tile.k + 1});
  for (int64_t k = 1; k <= 2 * tile.k + 1; ++k) all.push_back({2 * tile.m - 1, 2 * tile.n - 1, k});
  return all;
}

// Every way to treat the edges: what is packed, in which order, how partial tiles and vectors are
// handled, whole k or blocks of it. Not all are legal for a problem.
std::vector<GemmConfig> treatments() {
  std::vector<GemmConfig> all;
  for (const int32_t kc : {0, 4, 16}) {
    for (const PackA pack_a : {PackA::kNone, PackA::kCopy}) {
      for (const PackB pack_b : {PackB::kNone, PackB::kWhole, PackB::kPanel}) {
        for (const LoopOrder order : {LoopOrder::kColumnsOuter, LoopOrder::kRowsOuter}) {
          for (const RowTiles rows : {RowTiles::kTail, RowTiles::kBalanced}) {
            for (const EdgeStore edge : {EdgeStore::kMasked, EdgeStore::kSplit, EdgeStore::kDot}) {
              all.push_back({.kc = kc,
                             .pack_a = pack_a,
                             .pack_b = pack_b,
                             .order = order,
                             .rows = rows,
                             .edge = edge});
            }
          }
        }
      }
    }
  }
  return all;
}

using Kind = std::tuple<IsaId, DType, bool, bool>;  // width, type, a transposed, b transposed

class GuardPages : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    if (std::ranges::find(runnable_isas(), isa()) == runnable_isas().end()) {
      GTEST_SKIP() << "this processor has no " << describe(isa()).name;
    }
  }

  static IsaId isa() { return std::get<0>(GetParam()); }
  static int32_t lanes() { return describe(isa()).lanes(size_bytes(std::get<1>(GetParam()))); }

  static Problem problem_of(const Sizes& sizes) {
    const auto& [isa, dtype, a_transposed, b_transposed] = GetParam();
    return Problem::mm(dtype, sizes.m, sizes.n, sizes.k, a_transposed, b_transposed);
  }

  static Sizes sizes_of(const Tile& tile) {
    const bool outer = tile.family == Family::kOuter;
    return {tile.rows, tile.wide * (outer ? lanes() : 1), tile.unroll * (outer ? 1 : lanes())};
  }

  // The legal treatments with this tile, or with as much of it as the problem holds.
  static std::vector<GemmConfig> configs_with(const Tile& tile, const ProgramCheck& program,
                                              Random& random);

 private:
  static GemmConfig cut_tile(const Tile& tile, const Problem& problem, const Space& space);
};

GemmConfig GuardPages::cut_tile(const Tile& tile, const Problem& problem, const Space& space) {
  const bool outer = tile.family == Family::kOuter;
  const int64_t steps = outer ? problem.k : std::max<int64_t>(1, problem.k / lanes());
  GemmConfig config;
  config.isa = isa();
  config.family = tile.family;
  config.mr = static_cast<int32_t>(std::min<int64_t>(tile.rows, problem.m));
  config.ku = static_cast<int32_t>(
      std::bit_floor(static_cast<uint64_t>(std::min<int64_t>(tile.unroll, steps))));
  for (const int32_t nr : space.parameters()[*space.position_of("nr")].values) {
    const bool fits = nr <= sizes_of(tile).n && (outer ? nr % lanes() == 0 : nr <= problem.n);
    if (fits) config.nr = nr;
  }
  return config;
}

std::vector<GemmConfig> GuardPages::configs_with(const Tile& tile, const ProgramCheck& program,
                                                 Random& random) {
  const Space space = program.space(isa());
  const GemmConfig cut = cut_tile(tile, program.problem(), space);
  std::vector<GemmConfig> legal;
  for (GemmConfig config : treatments()) {
    config.isa = cut.isa;
    config.family = cut.family;
    config.mr = cut.mr;
    config.nr = cut.nr;
    config.ku = cut.ku;
    if (!space.is_legal(to_config(config))) continue;
    legal.push_back(config);
    // Fetching ahead touches nothing, but the first row tile gets code of its own.
    config.prefetch_a = static_cast<PrefetchA>(random.below(3));
    config.prefetch_b = 4 * static_cast<int32_t>(random.below(2));
    config.prefetch_panel = static_cast<int32_t>(random.below(2));
    config.prefetch_c = static_cast<int32_t>(random.below(2));
    if (space.is_legal(to_config(config))) legal.back() = config;
  }
  return legal;
}

TEST_P(GuardPages, AreNeverTouched) {
  Random random(1);
  int64_t programs = 0;
  for (const Tile& tile : kTiles) {
    for (const Sizes& sizes : sweep(sizes_of(tile))) {
      // Odd cases read c as well.
      ProgramCheck program(problem_of(sizes),
                           {.beta = static_cast<double>((sizes.m + sizes.n + sizes.k) % 2)});
      for (const GemmConfig& config : configs_with(tile, program, random)) {
        ASSERT_EQ(program.failure_of(config), "");
        ++programs;
      }
    }
  }
  EXPECT_GT(programs, 1000);
  RecordProperty("programs", std::to_string(programs));
}

std::string kind_name(const testing::TestParamInfo<Kind>& test) {
  const auto& [isa, dtype, a_transposed, b_transposed] = test.param;
  std::string name(describe(isa).name);
  std::erase(name, '-');
  return name + "_" + std::string(to_string(dtype)) + "_" + (a_transposed ? "t" : "n") +
         (b_transposed ? "t" : "n");
}

INSTANTIATE_TEST_SUITE_P(EveryKind, GuardPages,
                         Combine(ValuesIn(all_isas().begin(), all_isas().end()),
                                 Values(DType::kF32, DType::kF64), Bool(), Bool()),
                         kind_name);

}  // namespace
}  // namespace triode::x86
