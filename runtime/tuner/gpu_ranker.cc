// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/gpu_ranker.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace triode::tuner {
namespace {

// Of the GPUs that our kernels are for, the middle. A wrong one shifts which tiles fill the last
// wave, and trials tell.
constexpr int kMultiprocessors = 108;
// Elements of c that a warp makes, where loads and multiplications are in balance.
constexpr double kElementsPerWarp = 2048;
// A tile of fewer elements along a side loads more than it multiplies.
constexpr double kBalancedSide = 128;

// Before anything was timed: small calls are the vendor's weak ones.
constexpr double kSmallFlops = 1e8;
constexpr double kSmallSaving = 0.2;
constexpr double kLargeSaving = 0.05;

double value_of(const Space& space, const Config& config, std::string_view name, double otherwise) {
  const std::optional<size_t> position = space.position_of(name);
  return position ? config[*position] : otherwise;
}

double pieces(int64_t size, double block) {
  return std::ceil(static_cast<double>(size) / block);
}

// How many times as far from the wanted value, above or below; 1 is there.
double distance(double value, double wanted) {
  return std::max(value / wanted, wanted / value);
}

}  // namespace

double estimated_gpu_cost(const Problem& problem, const Space& space, const Config& config,
                          int multiprocessors) {
  const double block_m = value_of(space, config, "block_m", 64);
  const double block_n = value_of(space, config, "block_n", 64);
  const double block_k = value_of(space, config, "block_k", 32);
  const double stages = value_of(space, config, "num_stages", value_of(space, config, "stages", 3));
  const double splits = value_of(space, config, "split_k", 1);
  const double tiles = pieces(problem.m, block_m) * pieces(problem.n, block_n) *
                       static_cast<double>(problem.batch) * splits;
  const double waves = std::ceil(tiles / multiprocessors);
  const double steps = pieces(problem.k, block_k * splits);
  // What a tile costs for each step: its multiplications, or its loads where it is narrow.
  const double loads = (block_m + block_n) * block_k * kBalancedSide / 2;
  const double step = std::max(block_m * block_n * block_k, loads);
  double cost = waves * steps * step;
  const double default_warps = block_m * block_n / kElementsPerWarp;
  const double warps = value_of(space, config, "num_warps", default_warps);
  cost *= 1 + 0.1 * std::log2(distance(warps, std::clamp(default_warps, 1.0, 8.0)));
  cost *= 1 + 0.1 * std::log2(distance(stages, 3));
  cost *= 1 + 0.02 * std::log2(distance(value_of(space, config, "group_m", 8), 8));
  cost *= 1 + 0.05 * std::log2(distance(value_of(space, config, "tile_m", 32), 32));
  cost *= 1 + 0.05 * std::log2(distance(value_of(space, config, "tile_n", 32), 32));
  return cost;
}

std::vector<Config> GpuRanker::propose(const Problem& problem, const Space& space,
                                       std::span<const Trial> tried, size_t count) {
  std::set<uint64_t> seen;
  for (const Trial& trial : tried) seen.insert(space.index_of(trial.config));
  std::vector<std::pair<double, uint64_t>> ranking;
  space.for_each([&](const Config& config) {
    const uint64_t index = space.index_of(config);
    if (!seen.contains(index)) {
      ranking.emplace_back(estimated_gpu_cost(problem, space, config, kMultiprocessors), index);
    }
    return true;
  });
  const size_t wanted = std::min(count, ranking.size());
  std::partial_sort(ranking.begin(), ranking.begin() + static_cast<std::ptrdiff_t>(wanted),
                    ranking.end());
  std::vector<Config> best;
  for (size_t i = 0; i < wanted; ++i) best.push_back(space.at(ranking[i].second));
  return best;
}

double GpuRanker::expected_saving(const Problem& problem) {
  return problem.flops() <= kSmallFlops ? kSmallSaving : kLargeSaving;
}

}  // namespace triode::tuner
