// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/status.h"

namespace triode::cuda {

// Where a parameter lies in the buffer that a launch hands over.
struct CubinParameter {
  uint32_t offset = 0;
  uint32_t bytes = 0;

  bool operator==(const CubinParameter&) const = default;
};

// What the assembler says of a kernel, beside its instructions.
struct CubinFunction {
  uint32_t registers = 0;    // of a thread
  uint32_t frame_bytes = 0;  // local memory of a thread; without local arrays, what was spilled
  uint32_t threads = 0;      // of a block, where the source fixes them; else 0
  std::vector<CubinParameter> parameters;  // in order
};

// Reads a cubin, an ELF file of NVIDIA's, with no driver: the attributes of one kernel. kCorrupt
// for bytes that are none, kNotFound for a kernel that is not in it.
Result<CubinFunction> read_cubin(std::string_view bytes, std::string_view entry);

}  // namespace triode::cuda
