// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cache/cache.h"
#include "core/outcome.h"
#include "core/problem.h"
#include "core/status.h"
#include "runtime/host/plan_file.h"
#include "tools/report/tuner_log.h"

namespace triode::report_tool {

struct TrialFact {
  std::string config;
  OutcomeKind outcome = OutcomeKind::kOk;
  double median_ns = 0;  // 0: it did not run
  double spread = 0;
  double vendor_ns = 0;     // in turns with it; 0: not timed together
  double predicted_ns = 0;  // by the model in force now; 0: it has nothing to say
  int64_t when_unix_s = 0;
  uint64_t number = 0;  // counts up as trials came; 0: imported

  bool ran() const { return outcome == OutcomeKind::kOk && median_ns > 0; }
};

// Calls that programs made of a problem, as the tuner that runs was told since it began.
struct CallsFact {
  uint64_t count = 0;  // 0: none is known
  double total_ns = 0;
  double saved_ns = 0;  // about: by the speed-up that was measured when the plan won
};

// What is known of one problem on one device.
struct ProblemFact {
  std::string device;  // its whole text
  std::string text;
  std::optional<Problem> problem;  // empty: the text of a foreign tool
  std::vector<TrialFact> trials;   // in the order in which they came
  std::optional<StoredPlan> plan;  // published, and not withdrawn since
  double vendor_ns = 0;            // the plan's, else the least that was timed; 0: not known
  uint64_t space_size = 0;  // configs an exhaustive search would time, or space_limit; 0: not known

  CallsFact calls;

  // The fastest that ran; null if none did.
  const TrialFact* best() const;
  int64_t failed() const;
  // Over the vendor: the plan's, measured in turns; without one 0.
  double speedup() const { return plan ? plan->speedup : 0; }
  // Of one call.
  double saved_ns() const { return plan ? plan->vendor_ns - plan->plan_ns : 0; }
};

// The model that new processes use for this machine's cpu.
struct ModelFact {
  std::string name;
  std::string digest;
  std::string card;  // Markdown
  bool is_promoted = false;
};

// All that a report says of one cache.
struct ReportFacts {
  std::string cache;
  std::vector<ProblemFact> problems;
  std::vector<TunerEvent> events;  // oldest first
  std::optional<ModelFact> model;
  uint64_t space_limit = 0;  // where the counting of each space stopped; 0: none was counted
  int64_t damaged = 0;       // records that were passed over
};

// Reads everything: seconds for a million records. `cache` is seen as it is now.
Result<ReportFacts> gather_facts(const Cache& cache);

}  // namespace triode::report_tool
