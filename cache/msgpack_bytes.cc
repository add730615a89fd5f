// SPDX-License-Identifier: Apache-2.0
#include "cache/msgpack_bytes.h"

#include <bit>
#include <cmath>
#include <limits>

namespace triode {
namespace {

// The first byte of a value, where it is not a small value itself.
enum Head : uint8_t {
  kNil = 0xC0,
  kFalse = 0xC2,
  kTrue = 0xC3,
  kBin8 = 0xC4,
  kExt8 = 0xC7,
  kFloat32 = 0xCA,
  kFloat64 = 0xCB,
  kUint8 = 0xCC,
  kInt8 = 0xD0,
  kFixExt1 = 0xD4,
  kStr8 = 0xD9,
  kArray16 = 0xDC,
  kMap16 = 0xDE,
};
constexpr unsigned kFixMap = 0x80, kFixArray = 0x90, kFixStr = 0xA0, kNegative = 0xE0;

void put(unsigned head, uint64_t value, int bytes, std::string& out) {
  char text[9];
  text[0] = static_cast<char>(head);
  for (int i = 0; i < bytes; ++i) {
    text[1 + i] = static_cast<char>(value >> (8 * (bytes - 1 - i)) & 0xFF);
  }
  out.append(text, static_cast<size_t>(bytes) + 1);
}

unsigned head_of(std::string_view bytes) {
  return bytes.empty() ? unsigned{kNil} : static_cast<unsigned char>(bytes.front());
}

// The number of so many bytes behind the head.
std::optional<uint64_t> number_at(std::string_view bytes, size_t size) {
  if (bytes.size() < 1 + size) return std::nullopt;
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i) value = value << 8 | static_cast<unsigned char>(bytes[1 + i]);
  return value;
}

// Heads of one kind follow each other: with 1, 2, 4 and 8 bytes, from `first` on.
std::optional<size_t> width_of(unsigned head, unsigned first, unsigned kinds) {
  if (head < first || head >= first + kinds) return std::nullopt;
  return size_t{1} << (head - first);
}

std::optional<std::string_view> take_sized(std::string_view& bytes, size_t head, uint64_t size) {
  if (bytes.size() < head || bytes.size() - head < size) return std::nullopt;
  const std::string_view found = bytes.substr(head, size);
  bytes.remove_prefix(head + size);
  return found;
}

// A count behind a head, or in it.
std::optional<size_t> take_head(std::string_view& bytes, unsigned fixed, unsigned wide) {
  const unsigned head = head_of(bytes);
  if (!bytes.empty() && (head & 0xF0) == fixed) {
    bytes.remove_prefix(1);
    return head & 0x0F;
  }
  if (head != wide && head != wide + 1) return std::nullopt;
  const size_t width = head == wide ? 2 : 4;
  const std::optional<uint64_t> count = number_at(bytes, width);
  if (count) bytes.remove_prefix(1 + width);
  return count;
}

bool skip_items(std::string_view& bytes, size_t count, int depth) {
  // Each takes a byte at least: what claims more is told before anything is tried.
  if (count > bytes.size()) return false;
  for (; count > 0; --count) {
    if (!take_value(bytes, depth)) return false;
  }
  return true;
}

// The bytes of a value that holds no others: its head, and what follows.
std::optional<size_t> flat_size(std::string_view bytes) {
  const unsigned head = head_of(bytes);
  if (bytes.empty()) return std::nullopt;
  if (head < kFixMap || head >= kNegative || head == kNil || head == kFalse || head == kTrue) {
    return 1;
  }
  if (head == kFloat32 || head == kFloat64) return head == kFloat32 ? 5 : 9;
  if (const auto width = width_of(head, kUint8, 4)) return 1 + *width;
  if (const auto width = width_of(head, kInt8, 4)) return 1 + *width;
  if (const auto width = width_of(head, kFixExt1, 5)) return 2 + *width;
  if (const auto width = width_of(head, kExt8, 3)) {
    const std::optional<uint64_t> size = number_at(bytes, *width);
    return size ? std::optional<size_t>(2 + *width + *size) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

void pack_text(std::string_view value, std::string& out) {
  if (value.size() < 32) {
    out += static_cast<char>(kFixStr | value.size());
  } else if (value.size() <= 0xFF) {
    put(kStr8, value.size(), 1, out);
  } else if (value.size() <= 0xFFFF) {
    put(kStr8 + 1, value.size(), 2, out);
  } else {
    put(kStr8 + 2, value.size(), 4, out);
  }
  out += value;
}

void pack_bytes(std::string_view value, std::string& out) {
  pack_bytes_head(value.size(), out);
  out += value;
}

void pack_bytes_head(size_t size, std::string& out) {
  if (size <= 0xFF) {
    put(kBin8, size, 1, out);
  } else {
    size <= 0xFFFF ? put(kBin8 + 1, size, 2, out) : put(kBin8 + 2, size, 4, out);
  }
}

void pack_unsigned(uint64_t value, std::string& out) {
  if (value < 0x80) {
    out += static_cast<char>(value);
  } else if (value <= 0xFF) {
    put(kUint8, value, 1, out);
  } else if (value <= 0xFFFF) {
    put(kUint8 + 1, value, 2, out);
  } else if (value <= 0xFFFFFFFF) {
    put(kUint8 + 2, value, 4, out);
  } else {
    put(kUint8 + 3, value, 8, out);
  }
}

void pack_signed(int64_t value, std::string& out) {
  const auto bits = static_cast<uint64_t>(value);
  if (value >= 0) {
    pack_unsigned(bits, out);
  } else if (value >= -32) {
    out += static_cast<char>(value);
  } else if (value >= std::numeric_limits<int8_t>::min()) {
    put(kInt8, bits, 1, out);
  } else if (value >= std::numeric_limits<int16_t>::min()) {
    put(kInt8 + 1, bits, 2, out);
  } else if (value >= std::numeric_limits<int32_t>::min()) {
    put(kInt8 + 2, bits, 4, out);
  } else {
    put(kInt8 + 3, bits, 8, out);
  }
}

void pack_real(double value, std::string& out) {
  constexpr double kBeyond = 18446744073709551616.0;  // 2^64
  if (value >= 0 && value < kBeyond && value == std::floor(value)) {
    pack_unsigned(static_cast<uint64_t>(value), out);
  } else if (value < 0 && value >= -kBeyond / 2 && value == std::floor(value)) {
    pack_signed(static_cast<int64_t>(value), out);
  } else if (std::abs(value) <= std::numeric_limits<float>::max() &&
             static_cast<double>(static_cast<float>(value)) == value) {
    put(kFloat32, std::bit_cast<uint32_t>(static_cast<float>(value)), 4, out);
  } else {
    put(kFloat64, std::bit_cast<uint64_t>(value), 8, out);
  }
}

void pack_bool(bool value, std::string& out) {
  out += static_cast<char>(value ? kTrue : kFalse);
}

void pack_array_head(size_t count, std::string& out) {
  if (count < 16) {
    out += static_cast<char>(kFixArray | count);
  } else {
    count <= 0xFFFF ? put(kArray16, count, 2, out) : put(kArray16 + 1, count, 4, out);
  }
}

void pack_map_head(size_t count, std::string& out) {
  if (count < 16) {
    out += static_cast<char>(kFixMap | count);
  } else {
    count <= 0xFFFF ? put(kMap16, count, 2, out) : put(kMap16 + 1, count, 4, out);
  }
}

std::optional<std::string_view> take_text(std::string_view& bytes) {
  const unsigned head = head_of(bytes);
  if ((head & 0xE0) == kFixStr) return take_sized(bytes, 1, head & 0x1F);
  std::optional<size_t> width = width_of(head, kStr8, 3);
  if (!width) width = width_of(head, kBin8, 3);
  if (!width) return std::nullopt;
  const std::optional<uint64_t> size = number_at(bytes, *width);
  return size ? take_sized(bytes, 1 + *width, *size) : std::nullopt;
}

std::optional<uint64_t> take_unsigned(std::string_view& bytes) {
  std::string_view rest = bytes;
  const unsigned head = head_of(rest);
  if (const auto width = width_of(head, kUint8, 4)) {
    const std::optional<uint64_t> value = number_at(rest, *width);
    if (value) bytes.remove_prefix(1 + *width);
    return value;
  }
  const std::optional<int64_t> value = take_signed(rest);
  if (!value || *value < 0) return std::nullopt;
  bytes = rest;
  return static_cast<uint64_t>(*value);
}

std::optional<int64_t> take_signed(std::string_view& bytes) {
  const unsigned head = head_of(bytes);
  if (!bytes.empty() && (head < kFixMap || head >= kNegative)) {
    bytes.remove_prefix(1);
    return static_cast<int8_t>(head);
  }
  const bool is_unsigned = head < kInt8;
  const auto width = width_of(head, is_unsigned ? kUint8 : kInt8, 4);
  const std::optional<uint64_t> value = width ? number_at(bytes, *width) : std::nullopt;
  if (!value) return std::nullopt;
  if (is_unsigned && *value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    return std::nullopt;
  }
  bytes.remove_prefix(1 + *width);
  const auto unused_bits = is_unsigned ? 0 : 64 - 8 * *width;
  return static_cast<int64_t>(*value << unused_bits) >> unused_bits;
}

std::optional<double> take_real(std::string_view& bytes) {
  const unsigned head = head_of(bytes);
  if (head == kFloat32 || head == kFloat64) {
    const size_t width = head == kFloat32 ? 4 : 8;
    const std::optional<uint64_t> bits = number_at(bytes, width);
    if (!bits) return std::nullopt;
    bytes.remove_prefix(1 + width);
    return head == kFloat32 ? std::bit_cast<float>(static_cast<uint32_t>(*bits))
                            : std::bit_cast<double>(*bits);
  }
  if (const std::optional<int64_t> value = take_signed(bytes)) return static_cast<double>(*value);
  if (const std::optional<uint64_t> value = take_unsigned(bytes)) {
    return static_cast<double>(*value);
  }
  return std::nullopt;
}

std::optional<bool> take_bool(std::string_view& bytes) {
  const unsigned head = head_of(bytes);
  if (head != kFalse && head != kTrue) return std::nullopt;
  bytes.remove_prefix(1);
  return head == kTrue;
}

std::optional<size_t> take_array_head(std::string_view& bytes) {
  return take_head(bytes, kFixArray, kArray16);
}

std::optional<size_t> take_map_head(std::string_view& bytes) {
  return take_head(bytes, kFixMap, kMap16);
}

std::optional<std::string_view> take_value(std::string_view& bytes, int depth) {
  if (depth == 0) return std::nullopt;
  std::string_view rest = bytes;
  if (const std::optional<size_t> size = flat_size(rest)) {
    if (*size > rest.size()) return std::nullopt;
    rest.remove_prefix(*size);
  } else if (!take_text(rest)) {
    std::optional<size_t> items = take_array_head(rest);
    if (!items) {
      items = take_map_head(rest);
      if (!items || *items > rest.size()) return std::nullopt;
      *items *= 2;
    }
    if (!skip_items(rest, *items, depth - 1)) return std::nullopt;
  }
  const std::string_view value = bytes.substr(0, bytes.size() - rest.size());
  bytes = rest;
  return value;
}

}  // namespace triode
