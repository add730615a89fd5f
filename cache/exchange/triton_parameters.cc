// SPDX-License-Identifier: Apache-2.0
#include "cache/exchange/triton_parameters.h"

#include <array>

namespace triode::exchange {
namespace {

struct Names {
  std::string_view common;
  std::string_view block;
  std::string_view block_size;
};
constexpr std::array<Names, 4> kNames{{
    {"block_m", "BLOCK_M", "BLOCK_SIZE_M"},
    {"block_n", "BLOCK_N", "BLOCK_SIZE_N"},
    {"block_k", "BLOCK_K", "BLOCK_SIZE_K"},
    {"group_m", "GROUP_M", "GROUP_SIZE_M"},
}};

}  // namespace

std::string common_name(std::string_view tools_name) {
  for (const Names& names : kNames) {
    if (tools_name == names.block || tools_name == names.block_size) {
      return std::string(names.common);
    }
  }
  return std::string(tools_name);
}

std::string tools_name(std::string_view common_name, BlockNames wanted) {
  for (const Names& names : kNames) {
    if (common_name == names.common) {
      return std::string(wanted == BlockNames::kBlock ? names.block : names.block_size);
    }
  }
  return std::string(common_name);
}

}  // namespace triode::exchange
