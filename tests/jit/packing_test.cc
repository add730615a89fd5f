// SPDX-License-Identifier: Apache-2.0
#include "jit/x86/packing.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <set>
#include <vector>

#include "jit/x86/vector_isa.h"

namespace triode::x86 {
namespace {

// Columns on both sides of a square, of a strip, and of several.
constexpr int64_t kSizes[] = {1, 3, 4, 7, 8, 9, 15, 16, 17, 63, 64, 65, 100, 130};

template <typename T>
T value_at(int64_t row, int64_t column) {
  return static_cast<T>(row * 1000 + column + 1);
}

// rows x columns in the memory asked for and not an element more, which the address sanitizer sees.
template <typename T>
std::vector<T> filled(int64_t rows, int64_t columns) {
  std::vector<T> matrix;
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) matrix.push_back(value_at<T>(r, c));
  }
  return matrix;
}

struct FreeMemory {
  void operator()(void* memory) const { std::free(memory); }
};

// Aligned to 64 bytes, as a workspace is, and full of ones.
template <typename T>
std::unique_ptr<T, FreeMemory> workspace(int64_t size_bytes) {
  const auto bytes = static_cast<size_t>((size_bytes + 63) / 64 * 64);
  std::unique_ptr<T, FreeMemory> memory(static_cast<T*>(std::aligned_alloc(64, bytes)));
  for (size_t i = 0; i < bytes / sizeof(T); ++i) memory.get()[i] = 1;
  return memory;
}

template <typename T>
class PackingOf : public testing::Test {
 protected:
  void SetUp() override {
    if (runnable_isas().empty()) GTEST_SKIP() << "this processor has no AVX2";
  }

  // Bytes of each size of vector that this processor has.
  static std::set<int64_t> vector_sizes() {
    std::set<int64_t> sizes;
    for (const IsaId isa : runnable_isas()) sizes.insert(describe(isa).vector_bytes);
    return sizes;
  }
};

using ElementTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(PackingOf, ElementTypes);

TYPED_TEST(PackingOf, TransposesAnySizeAndLeavesZerosToTheEndOfTheVector) {
  constexpr int64_t kLanes = 32 / sizeof(TypeParam);
  for (const int64_t vector_bytes : this->vector_sizes()) {
    for (const int64_t rows : kSizes) {
      for (const int64_t columns : kSizes) {
        const std::vector<TypeParam> from = filled<TypeParam>(rows, columns);
        const int64_t width = (rows + kLanes - 1) / kLanes * kLanes;
        const auto to = workspace<TypeParam>(columns * width * sizeof(TypeParam));
        transpose(from.data(), columns * sizeof(TypeParam), rows, columns, sizeof(TypeParam),
                  to.get(), width * sizeof(TypeParam), rows, vector_bytes);
        for (int64_t i = 0; i < columns * width; ++i) {
          const TypeParam expected =
              i % width < rows ? value_at<TypeParam>(i % width, i / width) : TypeParam{0};
          ASSERT_EQ(to.get()[i], expected) << rows << "x" << columns << " at " << i;
        }
      }
    }
  }
}

// What pack_panels or pack_panels_transposed should have made of b(p, j) = value_at(p, j).
template <typename T>
void expect_panels(const PanelLayout& layout, const T* packed) {
  int64_t at = 0;
  for (int64_t j0 = 0; j0 < layout.n; j0 += layout.panel_columns) {
    const bool is_full = j0 + layout.panel_columns <= layout.n;
    const int64_t left = (layout.n - j0 + layout.lanes - 1) / layout.lanes * layout.lanes;
    const int64_t width = is_full ? layout.panel_columns : left;
    for (int64_t p = 0; p < layout.k; ++p) {
      for (int64_t j = j0; j < j0 + width; ++j, ++at) {
        ASSERT_EQ(packed[at], j < layout.n ? value_at<T>(p, j) : T{0})
            << layout.k << "x" << layout.n << " in panels of " << layout.panel_columns << " at "
            << p << "," << j;
      }
    }
  }
}

TYPED_TEST(PackingOf, FillsPanelsOfAnySizeWithZerosInTheLanesLeftOver) {
  constexpr int64_t kElement = sizeof(TypeParam);
  for (const int64_t vector_bytes : this->vector_sizes()) {
    const int64_t lanes = vector_bytes / kElement;
    for (const int64_t n : kSizes) {
      for (const int64_t k : kSizes) {
        const PanelLayout layout{k, n, 3 * lanes, lanes, kElement};
        const auto to = workspace<TypeParam>(layout.size_bytes());
        pack_panels(layout, filled<TypeParam>(k, n).data(), n * kElement, to.get());
        expect_panels(layout, to.get());
      }
    }
  }
}

TYPED_TEST(PackingOf, TurnsATransposedMatrixIntoTheSamePanels) {
  constexpr int64_t kElement = sizeof(TypeParam);
  for (const int64_t vector_bytes : this->vector_sizes()) {
    const int64_t lanes = vector_bytes / kElement;
    for (const int64_t n : kSizes) {
      for (const int64_t k : kSizes) {
        const PanelLayout layout{k, n, 3 * lanes, lanes, kElement};
        std::vector<TypeParam> stored;
        for (int64_t j = 0; j < n; ++j) {
          for (int64_t p = 0; p < k; ++p) stored.push_back(value_at<TypeParam>(p, j));
        }
        const auto to = workspace<TypeParam>(layout.size_bytes());
        pack_panels_transposed(layout, stored.data(), k * kElement, to.get());
        expect_panels(layout, to.get());
      }
    }
  }
}

}  // namespace
}  // namespace triode::x86
