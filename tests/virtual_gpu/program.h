// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tests/virtual_gpu/instruction.h"
#include "tests/virtual_gpu/ptx_module.h"

namespace triode::vgpu {

// Registers that the hardware fills in: who and where a thread is.
enum class SpecialRegister : uint8_t {
  kTidX,
  kTidY,
  kTidZ,
  kNtidX,
  kNtidY,
  kNtidZ,
  kCtaidX,
  kCtaidY,
  kCtaidZ,
  kNctaidX,
  kNctaidY,
  kNctaidZ,
  kLaneId,
  kWarpId,
  kNwarpId,
  kLaneMaskEq,
  kLaneMaskLt,
  kLaneMaskLe,
  kLaneMaskGt,
  kLaneMaskGe,
};

// A kernel, decoded: what a block runs.
struct Program {
  std::vector<Instruction> code;  // ends with an exit
  std::vector<uint64_t> image;    // the register file as a warp finds it, constants in place
  std::vector<std::pair<SpecialRegister, Register>> specials;
  uint32_t static_shared_bytes = 0;
  uint32_t local_bytes = 0;  // of one thread
};

// Decodes every statement and gives every name its place. Throws PtxError.
Program build_program(const PtxModule& module, const Entry& entry);

}  // namespace triode::vgpu
