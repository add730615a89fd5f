// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace triode {

// A line of /proc/self/maps.
struct MappedRange {
  uintptr_t begin = 0;
  uintptr_t end = 0;
  std::string permissions;  // "r-xp"
};

// What this process has mapped now.
std::vector<MappedRange> mapped_ranges();

// "rw-p" and the like of the page that holds the address; empty if nothing is mapped there.
std::optional<std::string> permissions_at(const void* address);

// Ranges that can be written and executed at once.
std::vector<MappedRange> writable_executable_ranges();

}  // namespace triode
