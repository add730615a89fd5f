// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>

#include "core/dtype.h"
#include "runtime/device/small_floats.h"

namespace triode {

// Elements of a matrix in memory, whatever their floating-point type: f64, f16, bf16, and f32 for
// all others. Nothing need be aligned.

inline double load_element(const void* from, DType type) {
  const auto as = [from]<typename T>(T value) {
    std::memcpy(&value, from, sizeof value);
    return value;
  };
  switch (type) {
    case DType::kF64:
      return as(double{});
    case DType::kF16:
      return f16_to_float(as(uint16_t{}));
    case DType::kBF16:
      return bf16_to_float(as(uint16_t{}));
    default:
      return as(float{});
  }
}

// To the nearest.
inline void store_element(void* to, DType type, double value) {
  const auto as = [to](auto bits) { std::memcpy(to, &bits, sizeof bits); };
  const auto narrow = static_cast<float>(value);
  switch (type) {
    case DType::kF64:
      return as(value);
    case DType::kF16:
      return as(float_to_f16(narrow));
    case DType::kBF16:
      return as(float_to_bf16(narrow));
    default:
      return as(narrow);
  }
}

}  // namespace triode
