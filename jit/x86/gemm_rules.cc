// SPDX-License-Identifier: Apache-2.0
#include "jit/x86/gemm_rules.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "jit/x86/register_tile.h"

namespace triode::x86 {
namespace {

constexpr int64_t kCacheLineBytes = 64;

// Instructions in one turn of the loop over k. Past this the code stops fitting the
// decoded-instruction cache and emitting it takes longer than unrolling can win back.
constexpr int64_t kMaxLoopInstructions = 1200;

// Streaming past the caches pays only for a c that would push everything else out of L2.
constexpr int64_t kMinStreamedBytes = 256 * 1024;

// Vectors of k from which dot products can spare more than it takes to add up their lanes.
constexpr int64_t kMinDotVectors = 4;

// What a paired tile reads of a row of a at once.
constexpr int64_t kPairedGroupBytes = 16;

bool is_outer(const GemmConfig& c) {
  return c.family == Family::kOuter;
}

bool fits_offset(int64_t bytes) {
  return bytes <= std::numeric_limits<int32_t>::max();
}

}  // namespace

int32_t GemmRules::lanes(const GemmConfig& c) const {
  return describe(c.isa).lanes(size_bytes(p_.c_type));
}

bool GemmRules::pairs_rows(const GemmConfig& c) const {
  return is_outer(c) && x86::pairs_rows(describe(c.isa), p_.c_type, c.nr);
}

// Rows of both operands must lie in memory without gaps, and c be no wider than the tile.
bool GemmRules::paired_tile_fits(const GemmConfig& c) const {
  return p_.m > 1 && p_.n <= c.nr && !p_.a_transposed && !p_.b_transposed &&
         c.mr <= tallest_paired_tile(describe(c.isa));
}

bool GemmRules::tile_fits(const GemmConfig& c) const {
  if (c.mr > p_.m) return false;
  if (pairs_rows(c)) return paired_tile_fits(c);
  if (!is_outer(c)) return c.nr <= p_.n && c.nr <= 10 && dot_tile_fits(describe(c.isa), c.mr, c.nr);
  if (c.nr % lanes(c) != 0 || c.nr >= p_.n + lanes(c)) return false;
  // A partial vector may cost a register for its mask; the emitter lowers the tile then, but not to
  // nothing.
  const bool partial = p_.n % lanes(c) != 0;
  return c.mr <= tallest_outer_tile(describe(c.isa), vectors(c), false) &&
         tallest_outer_tile(describe(c.isa), vectors(c), partial) >= 1;
}

// Fewer sums than twice the latency of an FMA cannot keep two FMA units busy, unless the matrix is
// that small itself. The smallest tile of all stays: it is the one whose offsets always fit.
bool GemmRules::tile_uses_registers(const GemmConfig& c) const {
  const int32_t wide = is_outer(c) ? vectors(c) : c.nr;
  const bool spans_matrix = c.mr == p_.m || c.nr + (is_outer(c) ? lanes(c) : 1) > p_.n;
  const bool smallest = c.mr * wide == 1;
  return spans_matrix || smallest || c.mr * wide * 2 >= describe(c.isa).register_count;
}

bool GemmRules::unroll_fits(const GemmConfig& c) const {
  const int64_t steps = is_outer(c) ? p_.k : std::max<int64_t>(1, p_.k / lanes(c));
  const int64_t wide = is_outer(c) ? vectors(c) : c.nr;
  if (pairs_rows(c)) {
    const int64_t group = kPairedGroupBytes / size_bytes(p_.c_type);
    if (p_.k < group ? c.ku > 1 : c.ku % group != 0) return false;
  }
  return c.ku <= steps && c.ku * (c.mr * (wide + 1) + wide) <= kMaxLoopInstructions;
}

bool GemmRules::depth_block_fits(const GemmConfig& c) const {
  if (c.kc == 0) return true;
  return c.ku <= (is_outer(c) ? c.kc : c.kc / lanes(c));
}

bool GemmRules::blocks_hold_tiles(const GemmConfig& c) const {
  return (c.mc == 0 || c.mc >= c.mr) && (c.nc == 0 || c.nc >= c.nr);
}

bool GemmRules::pack_a_fits(const GemmConfig& c) const {
  const bool wrong_order = !is_outer(c) && p_.a_transposed;
  if (wrong_order) return c.pack_a == PackA::kCopy;
  return c.pack_a == PackA::kNone || p_.n > c.nr;
}

bool GemmRules::pack_b_fits(const GemmConfig& c) const {
  if (pairs_rows(c)) return c.pack_b == PackB::kNone;
  const bool wrong_order = is_outer(c) == p_.b_transposed;
  if (wrong_order) return c.pack_b == PackB::kWhole;
  if (!is_outer(c) && c.pack_b == PackB::kPanel) return false;
  const int64_t rows = c.mc == 0 || c.pack_b == PackB::kWhole ? p_.m : c.mc;
  return c.pack_b == PackB::kNone || rows > c.mr;
}

bool GemmRules::order_fits(const GemmConfig& c) const {
  if (c.order == LoopOrder::kColumnsOuter) return true;
  return c.pack_b != PackB::kPanel && p_.m > c.mr && p_.n > c.nr;
}

bool GemmRules::rows_matter(const GemmConfig& c) const {
  if (c.rows == RowTiles::kBalanced) return true;
  return p_.m % c.mr != 0 || (!is_outer(c) && p_.n % c.nr != 0);
}

bool GemmRules::edge_fits(const GemmConfig& c) const {
  if (c.edge == EdgeStore::kMasked) return true;
  const int64_t left = p_.n % lanes(c);
  if (!is_outer(c) || left == 0) return false;
  if (c.edge == EdgeStore::kSplit) return !describe(c.isa).has_opmask;
  // The dot kernel reads rows of a along k, at the cost of a few vectors' steps to sum each result.
  return p_.n > lanes(c) && left <= lanes(c) / 2 && !p_.a_transposed &&
         p_.k >= kMinDotVectors * lanes(c);
}

bool GemmRules::stores_fit(const GemmConfig& c) const {
  if (c.stores == StoreKind::kNormal) return true;
  const int64_t width = describe(c.isa).vector_bytes;
  const int64_t row_bytes = p_.ldc * size_bytes(p_.c_type);
  const bool aligned =
      p_.alignment_bytes >= width && (p_.m == 1 || row_bytes % width == 0) && p_.batch == 1;
  return is_outer(c) && !pairs_rows(c) && aligned && p_.beta == ScalarClass::kZero && c.kc == 0 &&
         p_.m * row_bytes >= kMinStreamedBytes;
}

bool GemmRules::prefetch_a_fits(const GemmConfig& c) const {
  if (c.prefetch_a == PrefetchA::kNone) return true;
  if (pairs_rows(c)) return false;
  // The dot kernel's rows are read once, straight into registers.
  const bool level_exists = is_outer(c) || c.prefetch_a == PrefetchA::kL1;
  return level_exists && p_.m > c.mr && c.pack_a == PackA::kNone && !p_.a_transposed;
}

bool GemmRules::prefetch_b_fits(const GemmConfig& c) const {
  return c.prefetch_b == 0 ||
         (is_outer(c) && !pairs_rows(c) && c.pack_b != PackB::kWhole && p_.k > c.prefetch_b);
}

bool GemmRules::prefetch_panel_fits(const GemmConfig& c) const {
  return c.prefetch_panel == 0 || (c.pack_b == PackB::kPanel && p_.n > c.nr);
}

// The emitter makes the tiles of a narrower last panel taller.
int32_t GemmRules::tallest_tile_rows(const GemmConfig& c) const {
  if (!is_outer(c) || p_.n % c.nr == 0) return c.mr;
  const int32_t last = vectors_per_row(describe(c.isa), p_.c_type, p_.n % c.nr);
  return last < vectors(c) ? tallest_outer_tile(describe(c.isa), last, false) : c.mr;
}

bool GemmRules::offsets_fit(const GemmConfig& c) const {
  if (c.prefetch_c != 0 && (!is_outer(c) || pairs_rows(c))) return false;
  const int64_t bytes = size_bytes(p_.c_type);
  const int64_t depth = is_outer(c) ? c.ku : int64_t{c.ku + 1} * lanes(c);
  const int64_t tallest = tallest_tile_rows(c);
  const int64_t tile_rows = c.prefetch_a != PrefetchA::kNone ? 2 * tallest : tallest - 1;
  const bool a_strided = c.pack_a == PackA::kNone;
  const int64_t a_reach =
      p_.a_transposed ? (depth - 1) * p_.lda + tallest : tile_rows * p_.lda + depth;
  const bool b_strided = c.pack_b != PackB::kWhole;
  const int64_t b_reach =
      is_outer(c) ? (depth - 1 + c.prefetch_b) * p_.ldb + 3 * c.nr : (c.nr - 1) * p_.ldb + depth;
  const int64_t c_reach = (tallest - 1) * p_.ldc + c.nr;
  return (!a_strided || fits_offset(a_reach * bytes)) &&
         (!b_strided || fits_offset(b_reach * bytes)) && fits_offset(c_reach * bytes);
}

bool GemmRules::split_fits(const GemmConfig& c) const {
  if (c.threads == 1) return c.split == ThreadSplit::kRows;
  // Columns and depth are cut between cache lines, or between tiles that are narrower:
  // two parts at least must come of it.
  const int64_t line = kCacheLineBytes / size_bytes(p_.c_type);
  const int64_t columns = is_outer(c) ? std::min<int64_t>(line, c.nr) : 1;
  switch (c.split) {
    case ThreadSplit::kRows:
      return p_.m >= c.threads || p_.batch >= c.threads;
    case ThreadSplit::kColumns:
      return p_.n > columns && p_.n >= c.threads;
    case ThreadSplit::kDepth:
      return p_.k > line && p_.batch == 1;
  }
  return false;
}

}  // namespace triode::x86
