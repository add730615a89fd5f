// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
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

// The histogram of how long the first config tried of a problem takes, over the best that its
// search found: what taking the ranker at its word would cost.
inline constexpr const char* kFirstChoiceRegret = "first_choice_regret";

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

  // All must outlive this. `is_first`: nothing was known of the problem, so that the first trial
  // shows how good a first choice is.
  SearchJournal(const Parts& parts, const Target& target, const Problem& problem,
                const Space& space, bool is_first);
  SearchJournal(const SearchJournal&) = delete;
  SearchJournal& operator=(const SearchJournal&) = delete;
  ~SearchJournal();

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
  const bool is_first_;
  std::chrono::nanoseconds latest_;
  // Of the trials that ran.
  size_t ran_ = 0;
  double first_ns_ = 0;
  double best_ns_ = 0;
  bool has_failed_ = false;
};

}  // namespace triode::tuner
