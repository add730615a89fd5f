// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "cache/model_store.h"
#include "core/space.h"
#include "core/status.h"
#include "tools/report/report_facts.h"

namespace triode::report_tool {

// How many legal configs the space has; `most` if there are no fewer, so that a large space costs
// no seconds.
uint64_t count_up_to(const Space& space, uint64_t most);

// Adds what the model in force says today of every trial on this machine's cpu, and how many
// configs an exhaustive search of each problem would time, or that it is more than a limit: the
// greater, the fewer the problems. Problems of other devices, and trials
// whose config this build no longer has, stay without. An error if no model can be read; the facts
// are then as before.
Status add_predictions(const ModelStore& models, const std::string& shipped_folder,
                       ReportFacts& facts);

}  // namespace triode::report_tool
