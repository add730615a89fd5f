// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/status.h"
#include "learner/train/choice_judge.h"
#include "learner/train/feature_matrix.h"
#include "learner/train/split.h"
#include "learner/train/timed_problem.h"

namespace triode::eval_tool {

// How another project orders the configs of problems.
struct Peer {
  std::string missing;  // not empty: why it could not be asked, and how to install it
  // By problem; those it has nothing to say of are not among them. Without configs that cannot run.
  std::map<size_t, std::vector<size_t>> orders;
};

// What peers are asked with.
struct PeerTask {
  std::span<const train::TimedProblem> problems;
  const train::FeatureMatrix& matrix;
  std::span<const train::Split> splits;  // a peer that is trained is trained once for each
  std::string python;                    // program; looked for in PATH
  uint64_t seed = 0;
  int32_t threads = 1;
};

// Asks tools/eval/peers.py: "lightgbm", "autoheuristic" and "nvmatmulheuristics", those that the
// Python has, each in a process of its own. Trains, so may take minutes. All are missing, with the
// reason, if the Python does not run; an error only if the temporary folder cannot be written.
Result<std::map<std::string, Peer>> ask_peers(const PeerTask& task);

// Ranks problems of the list that `peer` has orders for, and no others. Both must outlive it.
train::Ranker rank_by(const Peer& peer, std::span<const train::TimedProblem> problems);

}  // namespace triode::eval_tool
