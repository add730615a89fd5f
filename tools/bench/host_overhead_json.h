// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tools/bench/host_overhead_results.h"
#include "tools/bench/host_overhead_summary.h"

namespace triode::bench {

// Everything as one JSON document, indented, that ends in `summary`. Holds the raw samples of every
// figure, so that the summary can be recomputed. What was not measured is null.
std::string host_overhead_json(const HostOverheadResults& results,
                               const HostOverheadSummary& summary);

}  // namespace triode::bench
