// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tools/report/report_facts.h"

namespace triode::report_tool {

// Time of the best config among the first so many that ran, over that of the best ever timed of the
// problem: 1 is the best that is known.
struct RegretPoint {
  size_t timings = 0;
  double geomean = 1;   // over problems
  double p90 = 1;       // nine of ten problems are below
  size_t problems = 0;  // that had at least so many timings
};

// For 1, 2, 3, 5, 8, ... timings, over problems with at least `least_timings` that ran: with fewer
// there is nothing to be better than. Empty if there is no such problem.
std::vector<RegretPoint> regret_by_timings(std::span<const ProblemFact> problems,
                                           size_t least_timings = 8);

// How good the first choices were, as problem after problem was tuned.
struct ChoicePoint {
  size_t problem = 0;  // in the facts
  int64_t when_unix_s = 0;
  double first = 1;          // regret of the first config timed
  double best_of_three = 1;  // of the first three
};

// In the order in which the problems were first timed.
std::vector<ChoicePoint> regret_by_problem(std::span<const ProblemFact> problems,
                                           size_t least_timings = 8);

}  // namespace triode::report_tool
