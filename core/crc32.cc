// SPDX-License-Identifier: Apache-2.0
#include "core/crc32.h"

#include <array>
#include <cstddef>

namespace triode {
namespace {

constexpr uint32_t kPolynomial = 0xEDB88320u;  // 0x04C11DB7 with its bits in reverse

constexpr size_t kStep = 8;  // bytes whose look-ups do not wait for each other
using Table = std::array<uint32_t, 256>;

// What each value of a byte does to the remainder: at [i] with i bytes behind it.
constexpr std::array<Table, kStep> make_tables() {
  std::array<Table, kStep> tables{};
  for (uint32_t byte = 0; byte < tables[0].size(); ++byte) {
    uint32_t remainder = byte;
    for (int bit = 0; bit < 8; ++bit) {
      remainder = (remainder >> 1) ^ ((remainder & 1) != 0 ? kPolynomial : 0);
    }
    tables[0][byte] = remainder;
  }
  for (size_t i = 1; i < kStep; ++i) {
    for (size_t byte = 0; byte < tables[i].size(); ++byte) {
      const uint32_t nearer = tables[i - 1][byte];
      tables[i][byte] = (nearer >> 8) ^ tables[0][nearer & 0xFF];
    }
  }
  return tables;
}

constexpr std::array<Table, kStep> kTables = make_tables();

uint32_t byte_at(std::string_view bytes, size_t i) {
  return static_cast<unsigned char>(bytes[i]);
}

}  // namespace

uint32_t crc32(std::string_view bytes, uint32_t before) {
  uint32_t remainder = ~before;
  for (; bytes.size() >= kStep; bytes.remove_prefix(kStep)) {
    uint32_t next = 0;
    for (size_t i = 0; i < kStep; ++i) {
      const uint32_t mixed = i < 4 ? (remainder >> (8 * i)) & 0xFF : 0;
      next ^= kTables[kStep - 1 - i][byte_at(bytes, i) ^ mixed];
    }
    remainder = next;
  }
  for (size_t i = 0; i < bytes.size(); ++i) {
    remainder = (remainder >> 8) ^ kTables[0][(remainder ^ byte_at(bytes, i)) & 0xFF];
  }
  return ~remainder;
}

}  // namespace triode
