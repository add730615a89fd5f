// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>

#include "tools/report/report_facts.h"

namespace triode::report_tool {

// How much of a large cache goes into a page. What is left out is counted in "left_out".
struct PageLimits {
  size_t problems = 2000;       // those that save most, then those with most trials
  size_t trials = 30'000;       // over all problems
  size_t problem_trials = 400;  // of one: the fastest
  size_t events = 1000;         // the latest
};

// What the page's script draws, and what `--json` prints. Names and units stand in
// docs/cli/report.md.
nlohmann::ordered_json report_json(const ReportFacts& facts, const PageLimits& limits,
                                   int64_t now_unix_s);

// Two caches, problem by problem: what both know, with the ratio of their best times.
nlohmann::ordered_json comparison_json(const ReportFacts& a, const ReportFacts& b,
                                       int64_t now_unix_s);

}  // namespace triode::report_tool
