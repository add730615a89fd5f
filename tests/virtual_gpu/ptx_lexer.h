// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace triode::vgpu {

struct Token {
  std::string_view text;
  int line;  // from 1
};

// Cuts PTX into words and single characters. A word keeps its dots ("ld.global.v4.b32", "%tid.x")
// and double colons ("L2::cache_hint"). Comments and the line-based .loc and .file are left out.
// The tokens point into `text`. Throws PtxError for a comment or a string without an end.
std::vector<Token> split_into_tokens(std::string_view text);

}  // namespace triode::vgpu
