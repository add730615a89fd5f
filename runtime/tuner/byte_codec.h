// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/status.h"

namespace triode::tuner {

// Longest text and most elements of a list that are believed: a sender that says more is broken.
constexpr size_t kMostTextBytes = 1 << 20;
constexpr size_t kMostElements = 1 << 16;

// A struct with `template <typename Codec> void fields(Codec& codec) { codec(first, second); }`:
// one list of its fields serves both directions.
template <typename T, typename Codec>
concept HasFields = requires(T value, Codec& codec) {
  value.fields(codec);
};

// Turns values into bytes: whole numbers in 8 bytes (bool and 8-bit enums in one), little-endian;
// doubles by their bits; texts and lists after their length. No padding, no names.
class ByteWriter {
 public:
  template <typename... T>
  void operator()(T&... values) {
    (write(values), ...);
  }
  std::string take() && { return std::move(bytes_); }

 private:
  void write_number(uint64_t number, int bytes);
  void write(const std::string& text);
  void write(double value) { write_number(std::bit_cast<uint64_t>(value), 8); }
  template <typename T>
  requires std::integral<T> || std::is_enum_v<T>
  void write(T value) { write_number(static_cast<uint64_t>(value), sizeof(T) == 1 ? 1 : 8); }
  template <typename T>
  void write(std::vector<T>& list) {
    write_number(list.size(), 8);
    for (T& element : list) write(element);
  }
  template <HasFields<ByteWriter> T>
  void write(T& value) {
    value.fields(*this);
  }

  std::string bytes_;
};

// The inverse, for bytes of anybody. After the first thing that makes no sense every value is zero
// or empty, and finish() says so. Reads nothing outside the bytes, and allocates no more than a
// small multiple of them.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  template <typename... T>
  void operator()(T&... values) {
    (read(values), ...);
  }
  // kCorrupt if a value did not make sense or bytes are left over.
  Status finish() const;

 private:
  uint64_t read_number(int bytes);
  size_t read_length(size_t most);
  void read(std::string& text);
  void read(double& value) { value = std::bit_cast<double>(read_number(8)); }
  void read(bool& value) {
    const uint64_t number = read_number(1);
    if (number > 1) fail("a switch");
    value = number == 1;
  }
  template <typename T>
  requires std::is_enum_v<T>
  void read(T& value) { value = static_cast<T>(read_number(sizeof(T) == 1 ? 1 : 8)); }
  template <std::integral T>
  void read(T& value) {
    const uint64_t number = read_number(sizeof(T) == 1 ? 1 : 8);
    value = static_cast<T>(number);
    if (static_cast<uint64_t>(value) != number) fail("a number"), value = 0;
  }
  template <typename T>
  void read(std::vector<T>& list) {
    list.clear();
    const size_t length = read_length(kMostElements);
    for (size_t i = 0; i < length && error_ == nullptr; ++i) read(list.emplace_back());
  }
  template <HasFields<ByteReader> T>
  void read(T& value) {
    value.fields(*this);
  }
  void fail(const char* what);

  std::string_view rest_;
  const char* error_ = nullptr;  // what made no sense first
};

}  // namespace triode::tuner
