// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tools/bench/tuner_results.h"
#include "tools/bench/tuner_summary.h"

namespace triode::bench {

// The figures for people, each beside what is aimed at; and the shapes in which programs got
// slower, if any did.
std::string tuner_table(const TunerResults& results, const TunerSummary& summary);

}  // namespace triode::bench
