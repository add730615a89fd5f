// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/heuristic_ranker.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "core/key.h"
#include "core/random.h"
#include "jit/x86/gemm_space.h"
#include "runtime/search/config_search.h"

namespace triode::tuner {
namespace {

// Mutations start from so many of the best: one alone gets stuck in its noise.
constexpr size_t kParents = 8;
constexpr int kAttempts = 200;

// Before anything was timed: small and odd problems gain most of what is ever gained, and large
// ones little, since vendors have tuned those by hand.
constexpr double kSmallFlops = 1e6;
constexpr double kLargeFlops = 1e9;
constexpr double kSmallSaving = 0.4;
constexpr double kMiddleSaving = 0.2;
constexpr double kLargeSaving = 0.05;

// Each config on as many threads as the space has, with every split, then on one.
std::vector<Config> with_threads(const Space& space, const std::vector<Config>& configs) {
  const std::optional<size_t> position = space.position_of("threads");
  const int32_t threads = position ? std::ranges::max(space.parameters()[*position].values) : 1;
  if (threads <= 1) return configs;
  std::vector<Config> all;
  for (const Config& config : configs) {
    const std::vector<Config> spread = spread_over_threads(space, {&config, 1}, threads);
    all.insert(all.end(), spread.begin(), spread.end());
    all.push_back(config);
  }
  return all;
}

// One batch of proposals, none twice and none that was tried.
class Batch {
 public:
  Batch(const Space& space, std::span<const Trial> tried, size_t count)
      : space_(space), count_(count) {
    for (const Trial& trial : tried) seen_.insert(space.index_of(trial.config));
  }
  bool is_full() const { return configs_.size() >= count_; }
  void add(const Config& config) {
    if (!is_full() && space_.is_legal(config) && seen_.insert(space_.index_of(config)).second) {
      configs_.push_back(config);
    }
  }
  std::vector<Config> take() && { return std::move(configs_); }

 private:
  const Space& space_;
  const size_t count_;
  std::set<uint64_t> seen_;
  std::vector<Config> configs_;
};

std::vector<Config> best_of(std::span<const Trial> tried) {
  std::vector<std::pair<double, Config>> ranking;
  for (const Trial& trial : tried) {
    if (trial.outcome.ok()) ranking.emplace_back(trial.measurement.min_ns, trial.config);
  }
  std::sort(ranking.begin(), ranking.end());
  std::vector<Config> best;
  for (size_t i = 0; i < std::min(kParents, ranking.size()); ++i) best.push_back(ranking[i].second);
  return best;
}

void change_parameter(const Space& space, Config& config, size_t position, Random& random) {
  const auto& values = space.parameters()[position].values;
  config[position] = values[random.below(values.size())];
}

Config mutated(const Space& space, Config config, Random& random) {
  const size_t first = random.below(config.size());
  change_parameter(space, config, first, random);
  // Parameters that constrain each other stand side by side.
  if (random.below(2) == 0) {
    const size_t neighbour = (first + 1) % config.size();
    const size_t second = random.below(2) == 0 ? neighbour : random.below(config.size());
    change_parameter(space, config, second, random);
  }
  return config;
}

}  // namespace

std::vector<Config> HeuristicRanker::propose(const Problem& problem, const Space& space,
                                             std::span<const Trial> tried, size_t count) {
  Batch batch(space, tried, count);
  for (const Config& config : with_threads(space, x86::promising_configs(space, problem))) {
    batch.add(config);
  }
  const std::vector<Config> parents = best_of(tried);
  Random random(hash_of(problem) + tried.size());
  for (int i = 0; i < kAttempts && !batch.is_full(); ++i) {
    if (parents.empty()) {
      if (const std::optional<Config> drawn = space.sample(random)) batch.add(*drawn);
    } else {
      batch.add(mutated(space, parents[random.below(parents.size())], random));
    }
  }
  return std::move(batch).take();
}

double HeuristicRanker::expected_saving(const Problem& problem) {
  if (problem.flops() <= kSmallFlops) return kSmallSaving;
  return problem.flops() < kLargeFlops ? kMiddleSaving : kLargeSaving;
}

}  // namespace triode::tuner
