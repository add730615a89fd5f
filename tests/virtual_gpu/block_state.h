// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/random.h"
#include "tests/virtual_gpu/device_memory.h"
#include "tests/virtual_gpu/shared_memory.h"
#include "tests/virtual_gpu/warp.h"

namespace triode::vgpu {

// What the launches of one kernel did, counted. From these, and not from a clock, come the times
// that the stand-in driver reports: the same on every machine, and no measure of a GPU.
struct LaunchCounts {
  uint64_t warp_instructions = 0;
  uint64_t mmas = 0;
  uint64_t barriers = 0;
};

// What the warps of one block share.
class BlockState {
 public:
  BlockState(const DeviceMemory& device_memory, std::vector<std::byte> parameter_bytes,
             size_t shared_bytes)
      : memory(device_memory), parameters(std::move(parameter_bytes)), shared(shared_bytes) {}

  // Whether an asynchronous copy lands at once. In order, never: late shows a missing wait; at
  // random, early too, which shows a missing barrier before a buffer is used again.
  bool lands_early() { return is_random && random.below(2) == 0; }

  const DeviceMemory& memory;
  const DeviceMemory::Allocation* last_allocation = nullptr;  // most accesses hit it again
  std::vector<std::byte> parameters;
  SharedMemory shared;
  std::vector<Warp> warps;
  bool is_random = false;  // the scheduling mode
  Random random{0};
  LaunchCounts counts;
};

}  // namespace triode::vgpu
