// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/relearning.h"

#include <vector>

namespace triode::tuner {
namespace {

// Enough for the figures of most programs; a problem more costs some ten milliseconds.
constexpr size_t kMostProblems = 1000;

}  // namespace

Relearned relearn(const Target& target,
                  const std::function<Result<Space>(const Problem&)>& space_of, TrialLog& log,
                  Ranker& ranker, const Clock& clock, std::chrono::nanoseconds time,
                  int64_t learned_until) {
  Relearned relearned;
  const std::chrono::nanoseconds end = clock.now() + time;
  for (const Problem& problem : log.problems(target, kMostProblems)) {
    if (clock.now() >= end) break;
    const Result<Space> space = space_of(problem);
    if (!space.ok()) continue;  // an earlier version's
    ++relearned.problems;
    std::vector<Trial> trials = log.known(target, problem, *space);
    ranker.review(problem, *space, trials);
    if (learned_until > 0) trials = log.known_since(target, problem, *space, learned_until);
    for (const Trial& trial : trials) {
      ranker.learn(problem, *space, trial);
      ++relearned.trials;
    }
  }
  return relearned;
}

}  // namespace triode::tuner
