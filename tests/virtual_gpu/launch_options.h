// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace triode::vgpu {

struct Dim3 {
  uint32_t x = 1;
  uint32_t y = 1;
  uint32_t z = 1;
  uint64_t count() const { return uint64_t{x} * y * z; }
};

struct LaunchOptions {
  Dim3 grid;
  Dim3 block;
  uint32_t dynamic_shared_bytes = 0;
  std::vector<std::byte> parameters;  // laid out as Kernel::entry().parameters says
  // 0: warps run in order, each until it must wait, and asynchronous copies land as late as they
  // may. Any other: warps run in random order for random times, and copies land early or late. A
  // kernel is right only if it is right in both modes; neither alone finds every race.
  uint64_t scheduling_seed = 0;
  // Instructions that one block may execute before it counts as hung.
  uint64_t most_warp_instructions = uint64_t{1} << 28;
};

}  // namespace triode::vgpu
