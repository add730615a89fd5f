// SPDX-License-Identifier: Apache-2.0
#include "tests/virtual_gpu/value_type.h"

#include <array>
#include <utility>

namespace triode::vgpu {
namespace {

using Kind = ValueType::Kind;

constexpr std::array<std::pair<std::string_view, ValueType>, 20> kTypes = {{
    {"pred", {Kind::kPredicate, 1}}, {"b8", {Kind::kUnsigned, 8}},
    {"b16", {Kind::kUnsigned, 16}},  {"b32", {Kind::kUnsigned, 32}},
    {"b64", {Kind::kUnsigned, 64}},  {"u8", {Kind::kUnsigned, 8}},
    {"u16", {Kind::kUnsigned, 16}},  {"u32", {Kind::kUnsigned, 32}},
    {"u64", {Kind::kUnsigned, 64}},  {"s8", {Kind::kSigned, 8}},
    {"s16", {Kind::kSigned, 16}},    {"s32", {Kind::kSigned, 32}},
    {"s64", {Kind::kSigned, 64}},    {"f32", {Kind::kFloat, 32}},
    {"f64", {Kind::kFloat, 64}},     {"f16", {Kind::kF16, 16}},
    {"bf16", {Kind::kBf16, 16}},     {"tf32", {Kind::kTf32, 32}},
    {"f16x2", {Kind::kF16x2, 32}},   {"bf16x2", {Kind::kBf16x2, 32}},
}};

}  // namespace

ValueType parse_value_type(std::string_view word) {
  for (const auto& [name, type] : kTypes) {
    if (name == word) return type;
  }
  return {};
}

}  // namespace triode::vgpu
