// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "core/clock.h"
#include "core/measurement.h"
#include "core/problem.h"
#include "core/space.h"
#include "core/target.h"
#include "runtime/tuner/event_log.h"
#include "runtime/tuner/metrics.h"
#include "runtime/tuner/trial_log.h"

namespace triode::tuner {

// Keeps what the trials of one search say: counted, logged where one did harm, and written in
// batches, but at once where one did harm. What is lost by kill -9 is the last batch. One thread.
class SearchJournal {
 public:
  struct Parts {
    TrialLog& log;
    EventLog& events;
    Metrics& metrics;
    const Clock& clock;
  };

  // All must outlive this.
  SearchJournal(const Parts& parts, const Target& target, const Problem& problem,
                const Space& space);
  SearchJournal(const SearchJournal&) = delete;
  SearchJournal& operator=(const SearchJournal&) = delete;
  ~SearchJournal() { write(); }

  void add_trial(const Trial& trial);
  void add_race(const Config& config, const PairMeasurement& pair);
  // All that was added is on the disk then, or an error in the log of events.
  void write();

 private:
  const Parts parts_;
  const Target& target_;
  const Problem& problem_;
  const Space& space_;
  std::chrono::nanoseconds latest_;
  std::vector<ConfigTrial> unwritten_;
};

}  // namespace triode::tuner
