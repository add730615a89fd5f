// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/status.h"
#include "tools/bench/tuner_results.h"
#include "tools/bench/tuner_summary.h"

namespace triode::bench {

// Everything as one JSON document, indented, that ends in `summary`. Holds the raw samples of every
// figure, so that the summary can be recomputed. What was not measured is null.
std::string tuner_json(const TunerResults& results, const TunerSummary& summary);

// What the calling program hands to the benchmark, by a file. Reading fails with kCorrupt.
std::string to_json_text(const std::vector<ConvergenceRound>& rounds);
std::string to_json_text(const std::vector<PairedShape>& pairs);
std::string to_json_text(const FirstCalls& calls);
Result<std::vector<ConvergenceRound>> read_rounds(const std::string& text);
Result<std::vector<PairedShape>> read_pairs(const std::string& text);
Result<FirstCalls> read_first_calls(const std::string& text);

}  // namespace triode::bench
