// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/call_trace.h"

#include <algorithm>
#include <sstream>
#include <string>

namespace triode::bench {

std::vector<AddressRange> generated_code(std::string_view maps) {
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
    // Memory that is mapped twice, to be written through one place and run at the other, has a
    // name.
    const bool is_in_no_file = path.empty() || path.starts_with("/memfd:");
    if (words.fail() && !words.eof()) continue;
    if (rights.find('x') != std::string::npos && is_in_no_file) ranges.push_back(range);
  }
  return ranges;
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
