// SPDX-License-Identifier: Apache-2.0
// Internal to learner/model.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <utility>

#include "learner/model/feature_table.h"
#include "learner/model/lanes.h"

namespace triode {

// A feature and the code that computes it from the quantities of its device kind.
template <typename Quantities>
struct FeatureRow {
  FeatureDescription description;
  Lanes (*value)(const Quantities& q);
};

template <typename Quantities, size_t kCount>
constexpr std::array<FeatureDescription, kCount> descriptions_of(
    const FeatureRow<Quantities> (&rows)[kCount]) {
  std::array<FeatureDescription, kCount> descriptions{};
  for (size_t i = 0; i < kCount; ++i) descriptions[i] = rows[i].description;
  return descriptions;
}

// How many rows at the beginning are of the problem alone.
template <typename Quantities, size_t kCount>
constexpr size_t problem_rows(const FeatureRow<Quantities> (&rows)[kCount]) {
  size_t count = 0;
  while (rows[count].description.scope == FeatureScope::kProblem) ++count;
  return count;
}

// Stores the rows from `kFirst` on, `count` lanes of each, one row every `stride` floats. Written
// out for each row, so that the compiler sees through a constexpr table.
template <size_t kFirst, typename Quantities, size_t kCount>
void store_rows(const FeatureRow<Quantities> (&rows)[kCount], const Quantities& q, float* columns,
                size_t stride, size_t count) {
  const auto store = [&](size_t row, Lanes value) {
    if (count == kLanes) {
      std::memcpy(columns + row * stride, &value, sizeof value);
    } else {
      std::memcpy(columns + row * stride, &value, count * sizeof(float));
    }
  };
  [&]<size_t... kRow>(std::index_sequence<kRow...>) {
    (store(kRow, rows[kFirst + kRow].value(q)), ...);
  }
  (std::make_index_sequence<kCount - kFirst>());
}

}  // namespace triode
