// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/virtual_gpu/ptx_module.h"
#include "tests/virtual_gpu/token_stream.h"

namespace triode::vgpu {

// The body of an entry, braces included: fills its registers, variables and statements.
// Throws PtxError.
void parse_body(TokenStream& in, Entry& entry);

}  // namespace triode::vgpu
