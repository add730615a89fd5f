// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

#include "core/clock.h"
#include "core/measurement.h"
#include "core/problem.h"
#include "core/space.h"
#include "core/target.h"
#include "runtime/tuner/event_log.h"
#include "runtime/tuner/metrics.h"
#include "runtime/tuner/trial_log.h"

namespace triode::tuner {

// Keeps what the trials of one search say: counted, logged where one did harm, and each written
// before the next begins, some microseconds beside milliseconds: kill -9 loses the trial that runs.
// One thread.
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
  ~SearchJournal() { note(parts_.log.flush()); }

  void add_trial(const Trial& trial);
  void add_race(const Config& config, const PairMeasurement& pair);

 private:
  void write(ConfigTrial trial);
  // The first error of a search is an event; a full disk makes as many as there are trials.
  void note(const Status& written);

  const Parts parts_;
  const Target& target_;
  const Problem& problem_;
  const Space& space_;
  std::chrono::nanoseconds latest_;
  bool has_failed_ = false;
};

}  // namespace triode::tuner
