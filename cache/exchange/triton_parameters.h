// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

#include <string>
#include <string_view>

namespace triode::exchange {

// The one name of a parameter that tools call differently: BLOCK_M, BLOCK_SIZE_M and block_m are
// block_m; what is none of those stays as it is.
std::string common_name(std::string_view tools_name);

// Back again: "block_m" as "BLOCK_M" (Inductor) or "BLOCK_SIZE_M" (Triton's tutorial, vLLM).
enum class BlockNames { kBlock, kBlockSize };
std::string tools_name(std::string_view common_name, BlockNames names);

}  // namespace triode::exchange
