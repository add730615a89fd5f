// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "core/status.h"

namespace triode::vgpu {

// Which calls of the stand-in driver go wrong, by text:
//   TRIODE_VGPU_FAULTS="cuLaunchKernel=719@3,cuModuleLoadDataEx=200,cuStreamSynchronize=hang"
// The number is the CUresult to answer, "@3" lets the first two calls of that entry point pass (the
// third and all later ones fail), "hang" never answers. Names are without "_v2".
// Not thread-safe.
class InjectedFaults {
 public:
  static constexpr uint32_t kHang = ~0u;

  // kInvalidArgument, naming the part that makes no sense.
  static Result<InjectedFaults> parse(std::string_view text);

  // Counts a call; what it must answer: 0 to go on, kHang, or an error.
  uint32_t next(std::string_view entry);

 private:
  struct Rule {
    uint32_t answer = 0;
    uint64_t first = 1;  // the call from which on it applies, from 1
    uint64_t calls = 0;  // so far
  };
  static Status parse_rule(std::string_view part, InjectedFaults& faults);

  std::map<std::string, Rule, std::less<>> rules_;
};

// "cuMemAlloc_v2" is "cuMemAlloc".
std::string_view without_version(std::string_view entry);

}  // namespace triode::vgpu
