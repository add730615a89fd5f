// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cache/cache.h"
#include "core/problem.h"
#include "core/status.h"
#include "runtime/host/plan_file.h"
#include "tools/report/tuner_log.h"

namespace triode::explain_tool {

// What the model says of a config today.
struct Prediction {
  std::string config;
  double ns = 0;      // by its level net; 0: it has none
  double stddev = 0;  // of ln time against the other candidates
  size_t rank = 0;    // among those that were ranked, from 1
};

struct FeatureValue {
  std::string name;
  std::string formula;
  std::string unit;
  float value = 0;
};

// A plan of the plan file for the problem.
struct KeptPlan {
  StoredPlan plan;
  double speedup_spread = 0;  // of the race that published it; 0: not known
  std::string target;         // its fingerprint
  std::string difference;     // to the target here: "cores 2, here 1"; empty: there is none
};

// Where the counting of legal configs stops: some milliseconds.
constexpr uint64_t kMostCounted = 100'000;

// Why a problem is answered the way it is on this machine's cpu; for one that only gpus have
// kernels for, what is known of it on any.
struct Explanation {
  Problem problem;
  std::string no_cpu_kernel;  // why this machine's cpu has none for it; empty: it has
  std::string device;         // this machine's cpu, its whole text
  std::string toolchain;      // of this build
  uint64_t space_size = 0;    // legal configs, or kMostCounted; 0: not known

  // Plans for this exact problem here, one in front of each library that it was raced against.
  std::vector<KeptPlan> plans;
  std::vector<KeptPlan> plans_elsewhere;  // for other targets
  // What was timed here with this toolchain, best first; then what counts only as a hint, with why.
  std::vector<StoredTrial> trials;
  std::vector<report_tool::TunerEvent> decisions;  // oldest first
  // Of one never timed: what was, and is the same product of other operands.
  std::vector<Problem> timed_alike;

  std::string model;                        // name and digest; empty: none could be read
  std::string model_trouble;                // why not, or why it says nothing of this problem
  std::string support;                      // "in support", "extrapolated: ..."
  size_t ranked = 0;                        // configs that the model was asked about
  std::vector<Prediction> favourites;       // its best few
  std::optional<Prediction> of_the_choice;  // of the config that runs, or was timed best
  std::vector<FeatureValue> features;       // of that config

  // Those that answer where the problem can be: here, or on a gpu.
  const std::vector<KeptPlan>& answering_plans() const {
    return no_cpu_kernel.empty() ? plans : plans_elsewhere;
  }
  // Whether a trial tells of the place where the problem can be answered, rather than hints.
  bool counts(const StoredTrial& trial) const {
    return !no_cpu_kernel.empty() || !trial.is_prior();
  }
  bool is_timed() const;
  // Null if there is none.
  const report_tool::TunerEvent* last_decision() const;
  // Whether one began after the last decision.
  bool is_searched_again() const;
  // The config that runs, else the best timed, else the model's favourite; empty: nothing is known.
  std::string chosen_config() const;
  double vendor_ns() const;  // least of the plans' and the trials'; 0: not known
};

// Reads the cache (null: there is none yet), its plan file and its log. The device's own error for
// a problem that it has no kernels for and of which nothing is known.
Result<Explanation> explain(const Problem& problem, const Cache* cache,
                            const std::string& cache_folder, const std::string& shipped_folder);

}  // namespace triode::explain_tool
