// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/problem.h"
#include "jit/x86/gemm_config.h"

namespace triode::x86 {

// Problems with at most this many rows read b once or nearly so, and are bound by how fast it
// streams.
inline constexpr int64_t kFewRows = 32;

// Which configs make sense for one (oriented) problem. Each rule reads only the fields that its
// place in gemm_space() allows. A rule forbids what cannot run, and what would run the same code as
// another config.
class GemmRules {
 public:
  explicit GemmRules(const Problem& oriented) : p_(oriented) {}

  bool tile_fits(const GemmConfig& c) const;
  bool tile_uses_registers(const GemmConfig& c) const;
  bool unroll_fits(const GemmConfig& c) const;
  bool depth_block_fits(const GemmConfig& c) const;
  bool blocks_hold_tiles(const GemmConfig& c) const;
  bool pack_a_fits(const GemmConfig& c) const;
  bool pack_b_fits(const GemmConfig& c) const;
  bool order_fits(const GemmConfig& c) const;
  bool rows_matter(const GemmConfig& c) const;
  bool edge_fits(const GemmConfig& c) const;
  bool stores_fit(const GemmConfig& c) const;
  bool prefetch_a_fits(const GemmConfig& c) const;
  bool prefetch_b_fits(const GemmConfig& c) const;
  bool prefetch_panel_fits(const GemmConfig& c) const;
  bool offsets_fit(const GemmConfig& c) const;
  bool split_fits(const GemmConfig& c) const;

 private:
  bool pairs_rows(const GemmConfig& c) const;
  bool paired_tile_fits(const GemmConfig& c) const;
  int32_t tallest_tile_rows(const GemmConfig& c) const;
  int32_t lanes(const GemmConfig& c) const;
  int32_t vectors(const GemmConfig& c) const { return c.nr / lanes(c); }

  Problem p_;
};

}  // namespace triode::x86
