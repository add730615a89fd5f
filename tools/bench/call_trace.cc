// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/call_trace.h"

#include <algorithm>
#include <sstream>
#include <string>

namespace triode::bench {

namespace {

// Of the executable parts, those whose file, perhaps none, is one that is asked for.
template <typename IsAskedFor>
std::vector<AddressRange> executable_parts(std::string_view maps, const IsAskedFor& is_asked_for) {
  std::vector<AddressRange> ranges;
  std::istringstream lines{std::string(maps)};
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    AddressRange range;
    char dash = 0;
    std::string rights, offset, device, inode, path;
    words >> std::hex >> range.begin >> dash >> range.end >> rights >> offset >> device >> inode >>
        path;
    if (words.fail() && !words.eof()) continue;
    if (rights.find('x') != std::string::npos && is_asked_for(path)) ranges.push_back(range);
  }
  return ranges;
}

}  // namespace

std::vector<AddressRange> generated_code(std::string_view maps) {
  // Memory that is mapped twice, to be written through one place and run at the other, has a name.
  return executable_parts(
      maps, [](const std::string& path) { return path.empty() || path.starts_with("/memfd:"); });
}

std::vector<AddressRange> code_of_files(std::string_view maps,
                                        std::span<const std::string_view> names) {
  return executable_parts(maps, [names](const std::string& path) {
    const std::string name = path.substr(path.rfind('/') + 1);
    return std::any_of(names.begin(), names.end(),
                       [&name](std::string_view begin) { return name.starts_with(begin); });
  });
}

bool CallTrace::is_kernel(std::uint64_t address) const {
  return std::any_of(kernels_.begin(), kernels_.end(), [address](const AddressRange& range) {
    return range.begin <= address && address < range.end;
  });
}

void CallTrace::about_to_execute(std::uint64_t address, std::uint64_t top_of_stack) {
  if (is_in_call_ && address == return_address_) {
    calls_.push_back(steps_);
    is_in_call_ = false;
  } else if (!is_in_call_ && address == entry_) {
    is_in_call_ = true;
    return_address_ = top_of_stack;
    steps_ = {};
  }
  if (!is_in_call_) return;
  if (is_kernel(address)) {
    ++steps_.kernel;
  } else {
    ++(steps_.kernel == 0 ? steps_.before_kernel : steps_.after_kernel);
  }
}

}  // namespace triode::bench
