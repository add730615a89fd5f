// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "runtime/tuner/status_messages.h"
#include "tools/report/report_facts.h"

namespace triode::report_tool {

// Adds what the tuner of the cache was told by programs: how often they called each problem, and
// what that took. Problems that the facts do not know are passed over.
void add_calls(std::span<const tuner::SentProblem> sent, ReportFacts& facts);

// The same, asked of the tuner that runs for this cache folder; nothing if none does.
void add_calls_of_tuner(const std::string& cache_folder, ReportFacts& facts);

}  // namespace triode::report_tool
