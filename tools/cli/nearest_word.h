// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace triode::cli {

// The one of `words` that `typed` was most likely meant to be; empty if none is close.
std::optional<std::string> nearest_word(std::string_view typed,
                                        const std::vector<std::string>& words);

}  // namespace triode::cli
