// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>

namespace triode {

// One choice: a value for each parameter of a Space, in the Space's order. Means nothing without
// its Space. A plain value of fixed size, so that ranking thousands of them allocates nothing.
class Config {
 public:
  static constexpr size_t kMaxParameters = 24;

  Config() = default;
  explicit Config(size_t parameter_count) : size_(static_cast<uint32_t>(parameter_count)) {
    assert(parameter_count <= kMaxParameters);
  }

  size_t size() const { return size_; }
  int32_t operator[](size_t parameter) const {
    assert(parameter < size_);
    return values_[parameter];
  }
  int32_t& operator[](size_t parameter) {
    assert(parameter < size_);
    return values_[parameter];
  }

  bool operator==(const Config&) const = default;
  auto operator<=>(const Config&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14

 private:
  std::array<int32_t, kMaxParameters> values_{};
  uint32_t size_ = 0;
};

}  // namespace triode
