// SPDX-License-Identifier: Apache-2.0
#include "core/crc32.h"

#include <array>

namespace triode {
namespace {

constexpr uint32_t kPolynomial = 0xEDB88320u;  // 0x04C11DB7 with its bits in reverse

// What each value of a byte does to the remainder.
constexpr std::array<uint32_t, 256> make_table() {
  std::array<uint32_t, 256> table{};
  for (uint32_t byte = 0; byte < table.size(); ++byte) {
    uint32_t remainder = byte;
    for (int bit = 0; bit < 8; ++bit) {
      remainder = (remainder >> 1) ^ ((remainder & 1) != 0 ? kPolynomial : 0);
    }
    table[byte] = remainder;
  }
  return table;
}

constexpr std::array<uint32_t, 256> kTable = make_table();

}  // namespace

uint32_t crc32(std::string_view bytes) {
  uint32_t remainder = ~uint32_t{0};
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    remainder = (remainder >> 8) ^ kTable[(remainder ^ byte) & 0xFF];
  }
  return ~remainder;
}

}  // namespace triode
