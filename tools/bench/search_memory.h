// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "cache/measurement_store.h"
#include "core/measurement.h"
#include "core/problem.h"
#include "core/space.h"
#include "core/status.h"
#include "core/target.h"

namespace triode::bench {

// What searches on one target learnt, kept from run to run in a store of measurements, which must
// outlive this.
class SearchMemory {
 public:
  SearchMemory(MeasurementStore& store, Target target)
      : store_(store), target_(std::move(target)) {}

  // The fastest configs known for the problem, best first, as far as the space still has them: a
  // few dozen, from which a search begins.
  Result<std::vector<Config>> best_known(const Problem& problem, const Space& space);

  // Adds the trials of a search that ended at this time, in one batch.
  Status keep(const Problem& problem, const Space& space, std::span<const Trial> trials,
              std::int64_t when_unix_s);

  // Damaged records met so far.
  std::int64_t damaged() const { return damaged_; }

 private:
  MeasurementStore& store_;
  const Target target_;
  std::int64_t damaged_ = 0;
};

}  // namespace triode::bench
