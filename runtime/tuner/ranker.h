// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/clock.h"
#include "core/config.h"
#include "core/measurement.h"
#include "core/problem.h"
#include "core/space.h"
#include "core/target.h"

namespace triode::tuner {

// Says what to try next: the seam for a learned model. One thread, unless said otherwise.
class Ranker {
 public:
  virtual ~Ranker() = default;

  // What follows is for that device, but for expected_saving() and reflect(). Before the first is
  // unknown which; one that ranks for a single device need not listen.
  virtual void face(const Target&) {}

  // Legal configs that are not among `tried`, best guess first, at most `count`. None: nothing left
  // is worth a trial. The same arguments give the same answer.
  virtual std::vector<Config> propose(const Problem& problem, const Space& space,
                                      std::span<const Trial> tried, size_t count) = 0;

  // The config that it would run if nothing could be timed, and would run rather than the vendor.
  // Not among those of `known` that failed. None where it is not sure enough.
  virtual std::optional<Config> choose(const Problem& problem, const Space& space,
                                       std::span<const Trial> known) = 0;

  // Told of every trial, once.
  virtual void learn(const Problem& problem, const Space& space, const Trial& trial) = 0;

  // All that is known of a problem, after a search: what reflect() may learn from again.
  virtual void review(const Problem& problem, const Space& space, std::span<const Trial> known) = 0;

  // Learns from the past for about so long, while nobody waits. False: there is nothing to do.
  virtual bool reflect(const Clock& clock, std::chrono::nanoseconds slice) = 0;

  // The share of the vendor's time that a plan is expected to save, 0 to 1. Comes from another
  // thread than the rest, while that may be inside propose() or learn().
  virtual double expected_saving(const Problem& problem) = 0;
};

}  // namespace triode::tuner
