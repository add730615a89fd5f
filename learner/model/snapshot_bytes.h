// SPDX-License-Identifier: Apache-2.0
// Internal to learner/model.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/status.h"

namespace triode {

// Appends numbers, little-endian and without padding, and what is made of them.
class ByteWriter {
 public:
  template <typename Number>
  void number(Number value) {
    static_assert(std::is_arithmetic_v<Number>);
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    bytes_.append(bytes, sizeof value);
  }
  template <typename Number>
  void numbers(const std::vector<Number>& values) {
    number(static_cast<uint64_t>(values.size()));
    for (const Number value : values) number(value);
  }
  void text(std::string_view value) {
    number(static_cast<uint64_t>(value.size()));
    bytes_.append(value);
  }
  void raw(std::string_view value) { bytes_.append(value); }

  const std::string& bytes() const { return bytes_; }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Reads what a ByteWriter wrote, from bytes that may be anything: a read past the end fails and
// yields nothing, a length is compared with what is left before memory is taken for it.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  template <typename Number>
  Result<Number> number() {
    const std::string_view bytes = TRIODE_TRY(raw(sizeof(Number)));
    Number value;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  template <typename Number>
  Result<std::vector<Number>> numbers(uint64_t most) {
    const uint64_t count = TRIODE_TRY(length(most));
    if (count > bytes_.size() / sizeof(Number)) return short_of_bytes();
    const std::string_view bytes = TRIODE_TRY(raw(count * sizeof(Number)));
    std::vector<Number> values(count);
    if (count > 0) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  Result<std::string> text(uint64_t most) {
    const uint64_t count = TRIODE_TRY(length(most));
    return std::string(TRIODE_TRY(raw(count)));
  }
  Result<uint64_t> length(uint64_t most) {
    const uint64_t count = TRIODE_TRY(number<uint64_t>());
    if (count > most) return corrupt("a length of the snapshot is beyond reason");
    return count;
  }
  Result<std::string_view> raw(uint64_t count) {
    if (count > bytes_.size()) return short_of_bytes();
    const std::string_view taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return taken;
  }
  bool at_end() const { return bytes_.empty(); }

 private:
  static Status short_of_bytes() { return corrupt("a part of the snapshot is cut short"); }

  std::string_view bytes_;
};

}  // namespace triode
