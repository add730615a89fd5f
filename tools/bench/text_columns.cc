// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/text_columns.h"

namespace triode::bench {
namespace {

// The blanks that are missing. In UTF-8, all bytes of a character but its first begin with 10.
std::string blanks(const std::string& text, std::size_t width) {
  const auto characters = static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return (byte & 0xC0) != 0x80; }));
  return characters >= width ? "" : std::string(width - characters, ' ');
}

}  // namespace

std::string padded_left(const std::string& text, std::size_t width) {
  return blanks(text, width) + text;
}

std::string padded_right(const std::string& text, std::size_t width) {
  return text + blanks(text, width);
}

}  // namespace triode::bench
