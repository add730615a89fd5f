// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/status.h"
#include "tests/virtual_gpu/ptx_module.h"

namespace triode::vgpu {

// Reads the part of PTX that compilers emit for compute kernels: text in, plain data out. Knows
// nothing about what an instruction does. Registers declared in inner scopes (inline assembly) get
// names of their own; labels become statement indices.
// kInvalidArgument, "ptx line 12: ...", for whatever it does not understand.
Result<PtxModule> parse_ptx(std::string_view text);

}  // namespace triode::vgpu
