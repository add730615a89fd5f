// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/tuner/messages.h"
#include "runtime/tuner/metrics.h"

namespace triode::tuner {

// First message of a command. The tuner answers with a StatusAnswer and, after a stop, ends.
struct Control {
  static constexpr MessageType kType = MessageType::kControl;
  bool stops = false;
  template <typename Codec>
  void fields(Codec& codec) {
    codec(stops);
  }
};

// Where a problem stands.
enum class ProblemState : uint8_t {
  kQueued,     // waits to be searched; the vendor answers
  kTiming,     // is being searched
  kTrusted,    // the model's choice answers where programs trust it, and waits to be timed
  kTuned,      // a plan that won answers
  kVendor,     // nothing faster was found: the vendor stays
  kWithdrawn,  // its plan turned out slower in a program; the vendor answers
};
std::string_view to_string(ProblemState state);  // "queued"

// A problem that programs have reported, as `triode top` shows it. Figures of programs that have
// ended stay in.
struct SentProblem {
  std::string problem;
  std::string vendor;
  std::string target;  // device and cores
  ProblemState state = ProblemState::kQueued;
  std::string config;                 // of the plan that answers; empty: none
  std::string remark;                 // why the vendor stays, where that is not plain
  double speedup = 0;                 // measured in interleaved pairs; 0: not measured
  double vendor_ns = 0, plan_ns = 0;  // one call, in the race that decided
  double expected_saving = 0;         // share of the vendor's time, as the ranker sees it
  uint64_t trials = 0;                // made by this tuner
  uint64_t clients = 0;               // programs that use it now
  CallFigures use;

  template <typename Codec>
  void fields(Codec& codec) {
    codec(problem, vendor, target, state, config, remark, speedup, vendor_ns, plan_ns,
          expected_saving, trials, clients, use);
  }
};

// The model that ranks.
struct SentModel {
  std::string name;      // empty: heuristics rank
  std::string digest;    // of the snapshot: its version
  std::string origin;    // "shipped", "promoted", "file"
  uint64_t learned = 0;  // trials that it was told of since it was loaded
  template <typename Codec>
  void fields(Codec& codec) {
    codec(name, digest, origin, learned);
  }
};

struct StatusAnswer {
  static constexpr MessageType kType = MessageType::kStatus;
  struct Client {
    int64_t process = 0;
    std::string program;
    bool trusts_model = false;
    uint64_t problems = 0;  // that it has reported
    CallFigures use;        // all of them
    template <typename Codec>
    void fields(Codec& codec) {
      codec(process, program, trusts_model, problems, use);
    }
  };
  std::string version;
  int64_t process = 0;         // of the tuner
  int64_t worker_process = 0;  // 0: none
  double uptime_s = 0;
  std::string cache;
  std::string log;  // file
  uint64_t searches = 0, trials = 0, failed_trials = 0, lost_workers = 0;
  uint64_t plans_found = 0, vendor_stays = 0, withdrawals = 0;
  uint64_t plans = 0, waiting = 0;
  double trials_per_second = 0;  // of late
  std::string current;           // problem being searched; empty: none
  uint64_t current_trials = 0;
  std::vector<Client> clients;
  std::vector<SentProblem> problems;  // those that take most time first, not all of very many
  uint64_t problem_count = 0;         // all
  std::vector<SentPlan> latest;       // plans found, newest last, a few
  SentModel model;
  std::vector<Metric> metrics;
  template <typename Codec>
  void fields(Codec& codec) {
    codec(version, process, worker_process, uptime_s, cache, log, searches, trials, failed_trials,
          lost_workers, plans_found, vendor_stays, withdrawals, plans, waiting, trials_per_second,
          current, current_trials, clients, problems, problem_count, latest, model, metrics);
  }
};

}  // namespace triode::tuner
