// SPDX-License-Identifier: Apache-2.0
#include "tests/tuner/model_runner.h"

#include <algorithm>
#include <cstdlib>

namespace triode::tuner {
namespace {

Config parsed(const std::string& text) {
  return model_space().parse(text).value();
}

double call_us(const Config& config) {
  return 1.0 + std::abs(config[0] - 7) + std::abs(config[1] - 3);
}

Measurement measurement_of(double us, int count) {
  return {.median_ns = 1e3 * us, .min_ns = 1e3 * us, .spread = 0, .count = count};
}

OutcomeKind outcome_in(const std::map<int32_t, OutcomeKind>& outcomes, const Config& config) {
  const auto found = outcomes.find(config[0]);
  return found == outcomes.end() ? OutcomeKind::kOk : found->second;
}

}  // namespace

Space model_space() {
  Space space;
  space.add({"x", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, {}});
  space.add({"y", {0, 1, 2, 3}, {}});
  return space;
}

Result<std::chrono::nanoseconds> ModelRunner::begin(const TunedCall&) {
  ++begun;
  if (!refuses.ok()) return refuses;
  return std::chrono::nanoseconds(static_cast<int64_t>(1e3 * vendor_us));
}

TrialResult ModelRunner::try_config(const std::string& text) {
  clock_.advance(std::chrono::milliseconds(1));
  tried.push_back(text);
  const Config config = parsed(text);
  const OutcomeKind kind = outcome_in(outcomes_by_x, config);
  if (kind != OutcomeKind::kOk) return {{kind, "as told"}, {}, 0};
  return {
      {}, measurement_of(call_us(config), 3), static_cast<uint64_t>(100 * config[0] + config[1])};
}

CheckResult ModelRunner::check_config(const std::string& text) {
  checked.push_back(text);
  const Config config = parsed(text);
  const OutcomeKind kind = outcome_in(outcomes_by_x, config);
  if (kind != OutcomeKind::kOk) return {{kind, "as told"}, 0};
  return {{}, static_cast<uint64_t>(100 * config[0] + config[1])};
}

RaceResult ModelRunner::race(const std::string& text, std::chrono::nanoseconds budget) {
  clock_.advance(budget);
  const bool is_flattered = std::count(raced.begin(), raced.end(), text) < flattered_races;
  raced.push_back(text);
  if (disturbed_races > 0) {
    --disturbed_races;
    return {{OutcomeKind::kUnstable, "busy"}, {}, 0};
  }
  const Config config = parsed(text);
  const OutcomeKind kind = outcome_in(race_outcomes_by_x, config);
  if (kind != OutcomeKind::kOk) return {{kind, "as told"}, {}, 0};
  RaceResult result{{}, {}, static_cast<uint64_t>(100 * config[0] + config[1])};
  result.pair.candidate = measurement_of(call_us(config), 50);
  result.pair.vendor = measurement_of(vendor_us, 50);
  result.pair.speedup = vendor_us / call_us(config) * (is_flattered ? first_race_flatters : 1);
  result.pair.speedup_spread = spread;
  return result;
}

std::vector<Config> GridRanker::propose(const Problem&, const Space& space,
                                        std::span<const Trial> tried, size_t count) {
  std::vector<Config> proposed;
  space.for_each([&](const Config& config) {
    const bool is_new = std::none_of(tried.begin(), tried.end(),
                                     [&](const Trial& trial) { return trial.config == config; });
    if (is_new) proposed.push_back(config);
    return proposed.size() < count;
  });
  return proposed;
}

void GridRanker::learn(const Problem&, const Space&, const Trial& trial) {
  learnt.push_back(trial);
}

}  // namespace triode::tuner
