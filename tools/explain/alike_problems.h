// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cache/cache.h"
#include "core/problem.h"
#include "core/status.h"

namespace triode::explain_tool {

// The problem itself if anything of it was timed; else those timed problems, on whichever device,
// that differ from it in leading dimensions, strides, alignment or threads alone, of which nobody
// thinks who types a problem. Empty if there are none of these either.
Result<std::vector<Problem>> timed_problems_like(const Problem& problem, const Cache& cache);

}  // namespace triode::explain_tool
