// SPDX-License-Identifier: Apache-2.0
#include "core/dtype.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/core/status_matchers.h"

namespace triode {
namespace {

struct NamedType {
  DType dtype;
  std::string_view name;
  int64_t bytes;
};

class EveryDType : public ::testing::TestWithParam<NamedType> {};

TEST_P(EveryDType, HasItsName) {
  EXPECT_EQ(to_string(GetParam().dtype), GetParam().name);
}

TEST_P(EveryDType, ParsesBack) {
  EXPECT_EQ(parse_dtype(GetParam().name).value(), GetParam().dtype);
}

TEST_P(EveryDType, HasItsSize) {
  EXPECT_EQ(size_bytes(GetParam().dtype), GetParam().bytes);
}

INSTANTIATE_TEST_SUITE_P(
    DType, EveryDType,
    ::testing::Values(NamedType{DType::kF32, "f32", 4}, NamedType{DType::kF64, "f64", 8},
                      NamedType{DType::kF16, "f16", 2}, NamedType{DType::kBF16, "bf16", 2},
                      NamedType{DType::kTF32, "tf32", 4}, NamedType{DType::kF8E4M3, "f8e4m3", 1},
                      NamedType{DType::kI8, "i8", 1}, NamedType{DType::kI32, "i32", 4}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(DType, UnknownNameListsTheTypes) {
  EXPECT_THAT(
      parse_dtype("f33"),
      FailsWith(StatusCode::kInvalidArgument,
                "\"f33\" is not a type; expected f32, f64, f16, bf16, tf32, f8e4m3, i8 or i32"));
}

TEST(DType, NameMustMatchWhole) {
  EXPECT_THAT(parse_dtype("f3"), FailsWith(StatusCode::kInvalidArgument, ::testing::_));
  EXPECT_THAT(parse_dtype("f32 "), FailsWith(StatusCode::kInvalidArgument, ::testing::_));
  EXPECT_THAT(parse_dtype("F32"), FailsWith(StatusCode::kInvalidArgument, ::testing::_));
  EXPECT_THAT(parse_dtype(""), FailsWith(StatusCode::kInvalidArgument, ::testing::_));
}

}  // namespace
}  // namespace triode
