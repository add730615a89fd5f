// SPDX-License-Identifier: Apache-2.0
#include "tests/jit/memory_map.h"

#include <fstream>
#include <sstream>

namespace triode {

std::vector<MappedRange> mapped_ranges() {
  std::vector<MappedRange> ranges;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::istringstream fields(line);
    MappedRange range;
    char dash = 0;
    fields >> std::hex >> range.begin >> dash >> range.end >> range.permissions;
    ranges.push_back(range);
  }
  return ranges;
}

std::optional<std::string> permissions_at(const void* address) {
  const auto wanted = reinterpret_cast<uintptr_t>(address);
  for (const MappedRange& range : mapped_ranges()) {
    if (range.begin <= wanted && wanted < range.end) return range.permissions;
  }
  return std::nullopt;
}

std::vector<MappedRange> writable_executable_ranges() {
  std::vector<MappedRange> found;
  for (const MappedRange& range : mapped_ranges()) {
    const bool writable = range.permissions.find('w') != std::string::npos;
    const bool executable = range.permissions.find('x') != std::string::npos;
    if (writable && executable) found.push_back(range);
  }
  return found;
}

}  // namespace triode
