// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace triode::vgpu {

inline constexpr int kLanes = 32;  // threads of a warp
inline constexpr uint32_t kAllLanes = ~0u;

// A slice of the warp's register file: 32 lanes of `bits` each, or one lane mask for a predicate.
// Immediates, special registers and addresses of symbols are registers too, filled in when the warp
// starts.
struct Register {
  uint32_t offset = 0;  // in bytes
  uint16_t bits = 0;    // 1, 16, 32, 64; 0: none
  bool negated = false;
};

enum class Flow : uint8_t { kNext, kBranch, kExit, kBarrier };
enum class StateSpace : uint8_t { kGeneric, kGlobal, kShared, kLocal, kParam };

class Warp;
struct Instruction;
// Executes for the lanes of the mask, of which there is at least one. Throws Fault.
using Handler = void (*)(Warp&, const Instruction&, uint32_t mask);

// A decoded PTX statement.
struct Instruction {
  Handler execute = nullptr;
  Flow flow = Flow::kNext;
  bool is_collective = false;  // ".sync.aligned": the whole warp must arrive together
  bool is_guarded = false;
  Register guard;
  std::vector<Register> registers;    // destinations first, unless the handler says otherwise
  int64_t offset = 0;                 // added to an address
  std::array<uint32_t, 4> mode = {};  // counts, sizes, choices: what they mean is the handler's
  uint32_t target = 0;                // of a branch
  int line = 0;                       // in the PTX
};

}  // namespace triode::vgpu
