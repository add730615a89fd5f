// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "core/status.h"
#include "learner/model/slow_learner.h"
#include "runtime/tuner/event_log.h"
#include "runtime/tuner/heuristic_ranker.h"
#include "runtime/tuner/learned_ranker.h"
#include "runtime/tuner/ranker.h"
#include "runtime/tuner/relearning.h"
#include "runtime/tuner/status_messages.h"
#include "runtime/tuner/trial_log.h"
#include "tools/tuner/cpu_machine.h"

namespace triode::tuner {

struct CpuRankerOptions {
  std::string model;  // file of a snapshot, or "none"; empty: the one in force
  // For what earlier tuners have tried: a program waits meanwhile, and would for seconds more.
  std::chrono::nanoseconds relearning_time = std::chrono::milliseconds(300);
  SlowLearnerOptions slow{};
};

// How the kernels of a processor are ranked: by heuristics, and by a model that learns over them
// where there is one. What it becomes is kept among the models beside the trials, and in force for
// whoever begins next, if it is better; but for a model of a file, which is this tuner's alone.
class CpuRanker {
 public:
  // Machine, trials and events must outlive this. A model that cannot be had is an event.
  CpuRanker(CpuMachine& machine, TrialLog& trials, EventLog& events, CpuRankerOptions options);

  Ranker& ranker() { return learned_ ? static_cast<Ranker&>(*learned_) : heuristic_; }
  // In use now. Any thread.
  SentModel model() const;

 private:
  Status begin(CpuMachine& machine, const CpuRankerOptions& options);
  void keep_if_better(const Snapshot& snapshot, const GateVerdict& verdict,
                      const std::string& before);

  TrialLog& trials_;
  EventLog& events_;
  HeuristicRanker heuristic_;
  std::unique_ptr<LearnedRanker> learned_;
  Relearned relearned_;
  SentModel first_;
};

}  // namespace triode::tuner
