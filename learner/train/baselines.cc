// SPDX-License-Identifier: Apache-2.0
#include "learner/train/baselines.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/key.h"
#include "core/random.h"
#include "learner/model/feature_extractor.h"

namespace triode::train {
namespace {

constexpr double kUntried = 3;  // ln regret of a static list none of whose configs ran

Result<std::vector<size_t>> fitting(const TimedProblem& timed) {
  const FeatureExtractor extractor = TRIODE_TRY(FeatureExtractor::make(timed.task()));
  std::vector<size_t> places;
  for (size_t i = 0; i < timed.configs.size(); ++i) {
    if (extractor.fit(timed.configs[i]) == Fit::kFits) places.push_back(i);
  }
  return places;
}

void shuffle(std::vector<size_t>& places, Random& random) {
  for (size_t i = places.size(); i > 1; --i) std::swap(places[i - 1], places[random.below(i)]);
}

// ln regret of each config, by its text, of each problem.
using RegretsOf = std::unordered_map<std::string, std::vector<std::pair<size_t, double>>>;

RegretsOf regrets_by_config(std::span<const TimedProblem> problems, std::span<const size_t> known) {
  RegretsOf table;
  for (size_t p = 0; p < known.size(); ++p) {
    const TimedProblem& timed = problems[known[p]];
    const double best = timed.seconds[fastest(timed.seconds)];
    for (size_t i = 0; i < timed.configs.size(); ++i) {
      if (std::isnan(timed.seconds[i])) continue;
      table[timed.space->to_string(timed.configs[i])].emplace_back(
          p, std::log(timed.seconds[i] / best));
    }
  }
  return table;
}

std::vector<std::string> greedy_set(const RegretsOf& table, size_t problems, size_t size) {
  std::vector<double> reached(problems, kUntried);
  std::vector<std::string> chosen;
  while (chosen.size() < size) {
    double most = 0;
    const std::string* next = nullptr;
    for (const auto& [config, regrets] : table) {
      double gain = 0;
      for (const auto& [problem, regret] : regrets)
        gain += std::max(0.0, reached[problem] - regret);
      const bool better = gain > most || (gain == most && next != nullptr && config < *next);
      if (gain > 0 && better) {
        most = gain;
        next = &config;
      }
    }
    if (next == nullptr) break;
    for (const auto& [problem, regret] : table.at(*next)) {
      reached[problem] = std::min(reached[problem], regret);
    }
    chosen.push_back(*next);
  }
  return chosen;
}

}  // namespace

Ranker random_ranker(uint64_t seed) {
  return [seed](const TimedProblem& timed) -> Result<std::vector<size_t>> {
    std::vector<size_t> places = TRIODE_TRY(fitting(timed));
    Random random(hash_of(timed.problem) ^ seed);
    shuffle(places, random);
    return places;
  };
}

Ranker static_ranker(std::span<const TimedProblem> problems, std::span<const size_t> known,
                     size_t size) {
  const auto set = std::make_shared<std::map<std::string, size_t>>();
  const auto chosen = greedy_set(regrets_by_config(problems, known), known.size(), size);
  for (size_t i = 0; i < chosen.size(); ++i) set->emplace(chosen[i], i);
  return [set](const TimedProblem& timed) -> Result<std::vector<size_t>> {
    std::vector<size_t> places = TRIODE_TRY(fitting(timed));
    const auto rank = [&](size_t place) {
      const auto found = set->find(timed.space->to_string(timed.configs[place]));
      return found == set->end() ? set->size() : found->second;
    };
    std::stable_sort(places.begin(), places.end(),
                     [&](size_t a, size_t b) { return rank(a) < rank(b); });
    return places;
  };
}

Ranker analytical_ranker() {
  return [](const TimedProblem& timed) -> Result<std::vector<size_t>> {
    const FeatureExtractor extractor = TRIODE_TRY(FeatureExtractor::make(timed.task()));
    std::vector<std::pair<double, size_t>> estimates;
    for (size_t i = 0; i < timed.configs.size(); ++i) {
      if (extractor.fit(timed.configs[i]) != Fit::kFits) continue;
      estimates.emplace_back(extractor.analytical_s(timed.configs[i]), i);
    }
    std::sort(estimates.begin(), estimates.end());
    std::vector<size_t> places;
    for (const auto& [seconds, place] : estimates) places.push_back(place);
    return places;
  };
}

}  // namespace triode::train
