// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/virtual_gpu/ptx_module.h"
#include "tests/virtual_gpu/token_stream.h"

namespace triode::vgpu {

// What follows ".entry", to the closing brace of its body. Throws PtxError.
Entry parse_entry(TokenStream& in);

// What follows ".shared" or ".local", to the semicolon. Throws PtxError.
Variable parse_variable(TokenStream& in);

}  // namespace triode::vgpu
