// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace triode::vgpu {

// How an instruction reads the bits of an operand.
struct ValueType {
  enum class Kind : uint8_t {
    kNone,  // not a type
    kUnsigned,
    kSigned,
    kFloat,
    kPredicate,
    kF16,
    kBf16,
    kTf32,
    kF16x2,
    kBf16x2,
  };

  Kind kind = Kind::kNone;
  int bits = 0;

  bool is_integer() const { return kind == Kind::kUnsigned || kind == Kind::kSigned; }
  bool is_float() const {
    return kind == Kind::kFloat || kind == Kind::kF16 || kind == Kind::kBf16;
  }
};

inline constexpr ValueType kU16{ValueType::Kind::kUnsigned, 16};
inline constexpr ValueType kU32{ValueType::Kind::kUnsigned, 32};
inline constexpr ValueType kU64{ValueType::Kind::kUnsigned, 64};
inline constexpr ValueType kF32{ValueType::Kind::kFloat, 32};
inline constexpr ValueType kPredicate{ValueType::Kind::kPredicate, 1};

// "u32", "bf16", "pred"...; untyped bits ("b32") count as unsigned. kNone for any other word.
ValueType parse_value_type(std::string_view word);

}  // namespace triode::vgpu
