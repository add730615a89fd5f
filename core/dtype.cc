// SPDX-License-Identifier: Apache-2.0
#include "core/dtype.h"

#include <cassert>

#include "core/enum_names.h"

namespace triode {
namespace {

constexpr EnumNames<DType, 8> kDTypes = {
    "a type", {"f32", "f64", "f16", "bf16", "tf32", "f8e4m3", "i8", "i32"}};

}  // namespace

std::string_view to_string(DType dtype) {
  return kDTypes.name_of(dtype);
}

Result<DType> parse_dtype(std::string_view text) {
  return kDTypes.parse(text);
}

int64_t size_bytes(DType dtype) {
  switch (dtype) {
    case DType::kF64:
      return 8;
    case DType::kF32:
    case DType::kTF32:
    case DType::kI32:
      return 4;
    case DType::kF16:
    case DType::kBF16:
      return 2;
    case DType::kF8E4M3:
    case DType::kI8:
      return 1;
  }
  assert(false && "not a DType");
  return 1;
}

}  // namespace triode
