// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/row_sum.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace triode {
namespace {

// Adds rows of every length up to a few vectors, and looks at the element behind each row too.
template <typename T>
void expect_sums(DType dtype) {
  for (size_t count = 0; count < 40; ++count) {
    std::vector<T> sum(count + 1, T{7});
    std::vector<T> term(count + 1);
    for (size_t i = 0; i <= count; ++i) term[i] = static_cast<T>(i);
    add_to_row(dtype, sum.data(), term.data(), static_cast<int64_t>(count));
    for (size_t i = 0; i < count; ++i) ASSERT_EQ(sum[i], T{7} + static_cast<T>(i)) << count;
    ASSERT_EQ(sum[count], T{7}) << count;
  }
}

TEST(RowSum, AddsFloatsOfAnyCount) {
  expect_sums<float>(DType::kF32);
}

TEST(RowSum, AddsDoublesOfAnyCount) {
  expect_sums<double>(DType::kF64);
}

}  // namespace
}  // namespace triode
