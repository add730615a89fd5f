// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tools/bench/results.h"
#include "tools/bench/summary.h"

namespace triode::bench {

// Everything as one JSON document, indented, that ends in `summary`. Holds the raw samples of every
// figure, so that the summary can be recomputed. What was not measured is null.
std::string report_json(const BenchResults& results, const Summary& summary);

}  // namespace triode::bench
