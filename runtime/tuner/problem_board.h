// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "runtime/host/plan_file.h"
#include "runtime/tuner/scheduler.h"
#include "runtime/tuner/status_messages.h"
#include "runtime/tuner/trial_runner.h"

namespace triode::tuner {

// Every problem that programs have reported, by identity_of(): where it stands and what its calls
// cost. For status alone: nothing is decided by it. Not thread-safe.
class ProblemBoard {
 public:
  // Beyond, the problem of least use that no program has any more makes room, or the new one is
  // left out.
  explicit ProblemBoard(size_t most_problems = 1 << 14) : most_problems_(most_problems) {}

  // A program's figures for a call. One that is new here is queued.
  void note_use(ClientId client, const std::string& identity, const TunedCall& call,
                const std::string& problem, const CallFigures& use);

  // What follows is about problems that are here; of others nothing is noted.
  void expect(const std::string& identity, double saving);
  void set_state(const std::string& identity, ProblemState state);
  // A plan answers: one that won, or one that is trusted.
  void set_plan(const std::string& identity, ProblemState state, const StoredPlan& plan);
  // The vendor answers.
  void set_vendor(const std::string& identity, ProblemState state, const std::string& remark);
  void count_trial(const std::string& identity);

  bool has(const std::string& identity) const { return rows_.contains(identity); }

  // The client has ended: its figures stay, as those of programs that were.
  void leave(ClientId client);

  size_t size() const { return rows_.size(); }
  // Those that took most time first.
  std::vector<SentProblem> costliest(size_t most) const;

  struct ClientTotal {
    uint64_t problems = 0;
    CallFigures use;
  };
  ClientTotal total_of(ClientId client) const;

 private:
  struct Row {
    SentProblem known;  // all but the figures of programs that run
    std::map<ClientId, CallFigures> by_client;
    CallFigures use() const;
  };

  Row* find(const std::string& identity);
  bool make_room();

  const size_t most_problems_;
  std::map<std::string, Row> rows_;
};

}  // namespace triode::tuner
