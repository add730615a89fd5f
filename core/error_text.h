// SPDX-License-Identifier: Apache-2.0
// Internal to core.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace triode {

// The text in double quotes, fit for one line of a message: bytes that are not printable ASCII
// become \xNN, and a text longer than 40 bytes is cut, with "..." before the closing quote.
std::string in_quotes(std::string_view text);

// "a", "a or b", "a, b or c". More than 16 alternatives are cut, with the number left out.
std::string one_of(std::span<const std::string_view> alternatives);

}  // namespace triode
