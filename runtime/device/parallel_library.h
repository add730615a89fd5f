// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "core/status.h"
#include "runtime/device/parallel_for.h"

namespace triode {

// Where libtriode_parallel.so may be: see places_of_library().
std::vector<std::filesystem::path> parallel_library_candidates();

// Loads the first of these that opens and speaks our version of the interface. kUnsupported, with
// every place and what was wrong there, if none does.
Result<ParallelFor> load_parallel_library(std::span<const std::filesystem::path> candidates);

// The library's parallel loop: found and loaded by the first call, a pointer read by later ones.
// Stays loaded for the life of the process. A failure is not remembered: the next call looks again.
//
// In a child forked after the library was loaded there are no worker threads, so the loop runs all
// parts in order on the calling thread there, to the same result.
Result<ParallelFor> parallel_library();

}  // namespace triode
