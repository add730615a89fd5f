// SPDX-License-Identifier: Apache-2.0
#include "tools/collect/collected_problems.h"

#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/key.h"
#include "core/random.h"
#include "jit/x86/gemm_space.h"
#include "runtime/search/config_search.h"
#include "tools/bench/shape_sets.h"

namespace triode::collect {
namespace {

// Draws in a row that bring nothing new before a small space counts as exhausted.
constexpr int kMostRepeats = 200;

Result<std::vector<bench::Shape>> shapes_of(const CollectOptions& options, DType dtype) {
  std::vector<bench::Shape> all;
  const auto add = [&](std::vector<bench::Shape> some) {
    std::move(some.begin(), some.end(), std::back_inserter(all));
  };
  if (!options.set.empty()) add(TRIODE_TRY(bench::shapes_of_set(options.set, dtype)));
  if (!options.shapes.empty()) add(TRIODE_TRY(bench::read_shapes_file(options.shapes, dtype)));
  add(bench::random_shapes(options.random, options.seed, dtype));
  return all;
}

// Each on as many threads as the problem may use, with every split, then on one.
std::vector<Config> promising(const Problem& problem, const Space& space) {
  std::vector<Config> configs = x86::promising_configs(space, problem);
  if (problem.threads == 1) return configs;
  std::vector<Config> spread;
  for (const Config& config : configs) {
    const auto some = spread_over_threads(space, {&config, 1}, problem.threads);
    spread.insert(spread.end(), some.begin(), some.end());
    spread.push_back(config);
  }
  return spread;
}

}  // namespace

Result<std::vector<Problem>> collected_problems(const CollectOptions& options) {
  std::vector<std::vector<bench::Shape>> by_dtype;
  for (const DType dtype : options.dtypes) {
    by_dtype.push_back(TRIODE_TRY(shapes_of(options, dtype)));
  }
  std::vector<Problem> problems;
  std::set<std::string> seen;
  for (size_t i = 0; i < by_dtype.front().size(); ++i) {
    for (const auto& shapes : by_dtype) {
      for (const int32_t threads : options.threads) {
        Problem problem = shapes[i].problem;
        problem.threads = threads;
        if (problem.flops() > options.most_flops) continue;
        if (seen.insert(to_string(problem)).second) problems.push_back(problem);
      }
    }
  }
  return problems;
}

std::vector<Config> collected_configs(const Problem& problem, const Space& space, size_t count,
                                      uint64_t seed) {
  std::vector<Config> chosen;
  std::set<uint64_t> seen;
  const auto add = [&](const Config& config) {
    if (!space.is_legal(config) || !seen.insert(space.index_of(config)).second) return false;
    chosen.push_back(config);
    return true;
  };
  for (const Config& config : promising(problem, space)) {
    if (chosen.size() < (count + 1) / 2) add(config);
  }
  Random random(hash_of(problem) ^ seed);
  for (int repeats = 0; chosen.size() < count && repeats < kMostRepeats; ++repeats) {
    const std::optional<Config> drawn = space.sample(random);
    if (drawn && add(*drawn)) repeats = 0;
  }
  return chosen;
}

Config neighbour(const Space& space, Config config, Random& random) {
  const uint64_t changes = 1 + random.below(2);
  for (uint64_t i = 0; i < changes; ++i) {
    const size_t position = random.below(config.size());
    const std::vector<int32_t>& values = space.parameters()[position].values;
    config[position] = values[random.below(values.size())];
  }
  return config;
}

}  // namespace triode::collect
