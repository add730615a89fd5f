// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "cache/cache.h"
#include "cache/trial_filter.h"
#include "core/status.h"
#include "runtime/host/plan_file.h"

namespace triode::cache_tool {

struct ExportedPlans {
  PlanFile file;  // a section for each target
  int64_t plans = 0;
  int64_t withdrawn = 0;  // left out: they stopped being faster
  int64_t embedded = 0;   // left out: their code is a GPU's, which a plan file does not hold yet
};

// The plans in force for what the filter takes, as mode frozen reads them.
Result<ExportedPlans> plans_to_export(const Cache& cache, const TrialFilter& filter);

}  // namespace triode::cache_tool
