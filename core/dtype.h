// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "core/status.h"

namespace triode {

// Element type of an operand or of the accumulator.
enum class DType : uint8_t { kF32, kF64, kF16, kBF16, kTF32, kF8E4M3, kI8, kI32 };

// "f32", "f64", "f16", "bf16", "tf32", "f8e4m3", "i8", "i32".
std::string_view to_string(DType dtype);
Result<DType> parse_dtype(std::string_view text);

// Bytes one element takes in memory (tf32 is stored as four).
int64_t size_bytes(DType dtype);

}  // namespace triode
