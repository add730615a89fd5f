// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "runtime/tuner/status_messages.h"

namespace triode::top_tool {

// What the problems are sorted by; a key chooses it.
enum class SortKey : uint8_t {
  kTime,     // t: what their calls have taken
  kSpeedup,  // s
  kCalls,    // c
  kState,    // a: what happens now first
  kProblem,  // p: by name
};
// Empty for a key that sorts nothing.
std::optional<SortKey> sort_of(char key);

struct ViewOptions {
  SortKey sort = SortKey::kTime;
  size_t width = 100;
  size_t height = 0;  // lines; 0: as many as there are problems
  bool has_colour = false;
};

// The whole screen, line by line, each ended by '\n' and at most `width` wide. Pure.
std::string top_view(const tuner::StatusAnswer& status, uint64_t cache_bytes,
                     const ViewOptions& options);

// The same where no tuner runs.
std::string view_without_tuner(const std::string& cache, const ViewOptions& options);

}  // namespace triode::top_tool
