// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/problem.h"

namespace triode::bench {

inline constexpr std::int64_t kSmallestSize = 4;
inline constexpr std::int64_t kLargestSize = 1024;

// f32 products of which no two are the same, m, n and k drawn log-uniformly from kSmallestSize to
// `largest`; in every second one all three are odd, as sizes that no kernel was written for. The
// same seed gives the same shapes, and fewer of them the first ones. `largest` must leave enough to
// draw from.
std::vector<Problem> tuner_shapes(std::size_t count, std::uint64_t seed,
                                  std::int64_t largest = kLargestSize);

}  // namespace triode::bench
