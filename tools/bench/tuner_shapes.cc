// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/tuner_shapes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "core/random.h"

namespace triode::bench {
namespace {

std::int64_t draw_size(Random& random, std::int64_t largest, bool is_odd) {
  const double low = std::log(static_cast<double>(kSmallestSize));
  const double high = std::log(static_cast<double>(largest));
  const double size = std::exp(std::lerp(low, high, random.uniform()));
  const std::int64_t nearest =
      std::clamp(static_cast<std::int64_t>(std::lround(size)), kSmallestSize, largest);
  if (!is_odd || nearest % 2 == 1) return nearest;
  return nearest == largest ? nearest - 1 : nearest + 1;
}

}  // namespace

std::vector<Problem> tuner_shapes(std::size_t count, std::uint64_t seed, std::int64_t largest) {
  Random random(seed);
  std::set<std::array<std::int64_t, 3>> drawn;
  std::vector<Problem> shapes;
  while (shapes.size() < count) {
    const bool is_odd = shapes.size() % 2 == 1;
    std::array<std::int64_t, 3> sizes{};
    for (std::int64_t& size : sizes) size = draw_size(random, largest, is_odd);
    if (!drawn.insert(sizes).second) continue;
    shapes.push_back(Problem::mm(DType::kF32, sizes[0], sizes[1], sizes[2]));
  }
  return shapes;
}

}  // namespace triode::bench
