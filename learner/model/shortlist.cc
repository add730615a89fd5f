// SPDX-License-Identifier: Apache-2.0
#include "learner/model/shortlist.h"

#include <algorithm>
#include <array>

namespace triode {
namespace {

// Of each mechanism class beyond the shortlist, so many of its best are kept for policies to try.
constexpr size_t kKeptOfEachMechanism = 8;

template <typename Value>
using ByMechanism = std::array<Value, FeatureExtractor::kMaxMechanisms>;

}  // namespace

std::vector<ScoredConfig> fitting(const FeatureExtractor& extractor,
                                  std::span<const Config> configs) {
  std::vector<ScoredConfig> fit;
  fit.reserve(configs.size());
  for (uint32_t i = 0; i < configs.size(); ++i) {
    if (extractor.fit(configs[i]) == Fit::kFits) fit.push_back({i, 0});
  }
  return fit;
}

std::vector<ScoredConfig> shortlist(const FeatureExtractor& extractor,
                                    std::span<const Config> configs,
                                    std::vector<ScoredConfig> scored, size_t wanted) {
  const auto better = [&](const ScoredConfig& a, const ScoredConfig& b) {
    if (a.score != b.score) return a.score < b.score;
    return configs[a.index] < configs[b.index];
  };
  const auto mechanism_of = [&](const ScoredConfig& one) {
    return static_cast<size_t>(extractor.mechanism(configs[one.index]));
  };
  if (scored.size() <= wanted) return scored;
  const auto middle = scored.begin() + static_cast<std::ptrdiff_t>(wanted);
  std::nth_element(scored.begin(), middle, scored.end(), better);
  // Beyond the shortlist, what each class still lacks of its few.
  ByMechanism<size_t> kept{};
  for (auto one = scored.begin(); one != middle; ++one) ++kept[mechanism_of(*one)];
  ByMechanism<std::vector<ScoredConfig>> others;
  for (auto one = middle; one != scored.end(); ++one) {
    const size_t mechanism = mechanism_of(*one);
    if (kept[mechanism] < kKeptOfEachMechanism) others[mechanism].push_back(*one);
  }
  scored.erase(middle, scored.end());
  for (size_t mechanism = 0; mechanism < others.size(); ++mechanism) {
    std::vector<ScoredConfig>& of_class = others[mechanism];
    if (of_class.empty()) continue;
    const size_t lacking = std::min(of_class.size(), kKeptOfEachMechanism - kept[mechanism]);
    const auto end = of_class.begin() + static_cast<std::ptrdiff_t>(lacking);
    std::partial_sort(of_class.begin(), end, of_class.end(), better);
    scored.insert(scored.end(), of_class.begin(), end);
  }
  return scored;
}

}  // namespace triode
