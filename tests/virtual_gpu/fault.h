// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace triode::vgpu {

enum class FaultKind : uint8_t {
  kIllegalAddress,
  kMisalignedAddress,
  kRace,            // warps read and write the same shared memory with no barrier between
  kDeadlock,        // no thread of a block can go on
  kTimeout,         // the budget of instructions is used up
  kBadInstruction,  // divergent where the whole warp must arrive
  kBadLaunch,       // refused before anything ran
};

// How a launch went wrong. Thrown and caught inside the virtual GPU; Kernel::launch returns it.
struct Fault {
  FaultKind kind = FaultKind::kBadLaunch;
  std::string message;
};

}  // namespace triode::vgpu
