// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>

namespace triode::bench {

// Pieces of tables for people.

// As printf writes it; what is longer than 255 bytes is cut.
template <typename... Values>
std::string formatted(const char* format, Values... values) {
  char text[256];
  const int length = std::snprintf(text, sizeof text, format, values...);
  return std::string(text, static_cast<std::size_t>(std::clamp(length, 0, 255)));
}

// Filled up with blanks to `width` characters; ± and other characters of several bytes count once.
std::string padded_left(const std::string& text, std::size_t width);
std::string padded_right(const std::string& text, std::size_t width);

}  // namespace triode::bench
