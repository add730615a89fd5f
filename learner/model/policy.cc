// SPDX-License-Identifier: Apache-2.0
#include "learner/model/policy.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "learner/model/bayesian_layer.h"

namespace triode {
namespace {

constexpr std::array<std::string_view, 4> kKinds = {"greedy", "lcb", "thompson", "reserved"};

double normal_density(double z) {
  return std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi);
}
double normal_below(double z) {
  return 0.5 * std::erfc(-z / std::numbers::sqrt2);
}

// One batch being put together.
class Batch {
 public:
  Batch(const Ranking& ranking, const OnlineState& online, std::span<const Tried> tried,
        const PolicyOptions& options)
      : ranking_(ranking), online_(online), options_(options) {
    const size_t count = ranking.candidates.size();
    std::vector<const Tried*> by_candidate(count, nullptr);
    for (size_t i = 0; i < count; ++i) {
      for (const Tried& one : tried) {
        if (one.index == ranking.candidates[i].index) by_candidate[i] = &one;
      }
    }
    tried_of_ = std::move(by_candidate);
    likely_to_run_ = false;
    for (size_t i = 0; i < count; ++i) likely_to_run_ = likely_to_run_ || runs(i);
  }

  Proposal propose(Random& random);

 private:
  bool runs(size_t i) const {
    return tried_of_[i] == nullptr &&
           ranking_.candidates[i].failure_probability <= options_.most_failure;
  }
  bool is_open(size_t i) const {
    if (tried_of_[i] != nullptr) return false;
    if (std::find(picks_.begin(), picks_.end(), i) != picks_.end()) return false;
    return !likely_to_run_ || runs(i);
  }
  bool is_near_twin(size_t i) const;
  // Takes the open candidate of least key; of another mechanism class than those taken so far, if
  // `other_class`. False if there is none.
  template <typename Key>
  bool take_best(const Key& key, bool other_class);
  void take_reserved();
  double expected_gain() const;

  const Ranking& ranking_;
  const OnlineState& online_;
  const PolicyOptions& options_;
  std::vector<const Tried*> tried_of_;  // by candidate; null if it was not tried
  bool likely_to_run_ = false;          // some candidate is likely to run at all
  std::vector<uint32_t> picks_;
};

// One of equal basis is no twin: the configs differ in what the model has no feature for (how a CPU
// kernel stores its edge, say), so that only timing both tells which is faster.
bool Batch::is_near_twin(size_t i) const {
  const std::span<const float> row = ranking_.basis_of(i);
  double length = 0;
  for (const float value : row) length += double{value} * value;
  const double least = options_.least_distance * options_.least_distance * length;
  for (const uint32_t pick : picks_) {
    const std::span<const float> other = ranking_.basis_of(pick);
    double distance = 0;
    for (size_t j = 0; j < row.size(); ++j) {
      const double difference = double{row[j]} - other[j];
      distance += difference * difference;
    }
    if (distance > 0 && distance < least) return true;
  }
  return false;
}

template <typename Key>
bool Batch::take_best(const Key& key, bool other_class) {
  std::array<bool, FeatureExtractor::kMaxMechanisms> seen{};
  for (const uint32_t pick : picks_) seen[ranking_.candidates[pick].mechanism] = true;
  double least = std::numeric_limits<double>::infinity();
  double least_twin = least;
  std::optional<size_t> best, best_twin;
  for (size_t i = 0; i < ranking_.candidates.size(); ++i) {
    if (!is_open(i) || (other_class && seen[ranking_.candidates[i].mechanism])) continue;
    const double value = key(i);
    if (value < least && !is_near_twin(i)) {
      least = value;
      best = i;
    }
    if (value < least_twin) {
      least_twin = value;
      best_twin = i;
    }
  }
  if (!best) best = best_twin;
  if (best) picks_.push_back(static_cast<uint32_t>(*best));
  return best.has_value();
}

// Another class gets the slot while its best might beat the best of all: while they are no further
// apart than both are in doubt.
void Batch::take_reserved() {
  const auto score = [&](size_t i) { return ranking_.candidates[i].score; };
  if (!take_best(score, true)) return;
  const Candidate& best = ranking_.candidates.front();
  const Candidate& other = ranking_.candidates[picks_.back()];
  const double doubt = options_.reserve_doubt * (best.stddev + other.stddev);
  if (other.score - best.score > doubt) picks_.pop_back();
}

// The most that one pick is expected to save: its time is normal about its score, and counts only
// below the best tried. What the scores are relative to is learned from the tried ones.
double Batch::expected_gain() const {
  double best = std::numeric_limits<double>::infinity();
  double offset = 0;
  size_t count = 0;
  for (size_t i = 0; i < tried_of_.size(); ++i) {
    if (tried_of_[i] == nullptr || !tried_of_[i]->log_time) continue;
    best = std::min(best, *tried_of_[i]->log_time);
    offset += *tried_of_[i]->log_time - ranking_.candidates[i].score;
    ++count;
  }
  if (count == 0) return std::numeric_limits<double>::infinity();
  offset /= static_cast<double>(count);
  double most = 0;
  for (const uint32_t pick : picks_) {
    const Candidate& candidate = ranking_.candidates[pick];
    const double spread = std::hypot(candidate.stddev, online_.noise);
    const double z = (best - candidate.score - offset) / spread;
    most = std::max(most, spread * (z * normal_below(z) + normal_density(z)));
  }
  return most;
}

Proposal Batch::propose(Random& random) {
  const auto score = [&](size_t i) { return ranking_.candidates[i].score; };
  std::vector<std::vector<double>> worlds;
  if (options_.kind == PolicyKind::kThompson) {
    worlds = BayesianLayer(online_).draw(random, options_.batch);
  }
  const auto in_world = [&](size_t i) {
    const std::vector<double>& world = worlds[std::min(picks_.size(), worlds.size() - 1)];
    const std::span<const float> row = ranking_.basis_of(i);
    double shift = 0;
    for (size_t j = 0; j < row.size(); ++j) shift += (world[j] - online_.mean[j]) * row[j];
    return score(i) + shift;
  };
  const auto optimistic = [&](size_t i) {
    return score(i) - options_.doubt * ranking_.candidates[i].stddev;
  };
  const size_t reserved = options_.kind == PolicyKind::kReserved && options_.batch > 1
                              ? std::min(options_.reserved_slots, options_.batch - 1)
                              : 0;
  bool more = true;
  while (more && picks_.size() + reserved < options_.batch) {
    more = options_.kind == PolicyKind::kLcb        ? take_best(optimistic, false)
           : options_.kind == PolicyKind::kThompson ? take_best(in_world, false)
                                                    : take_best(score, false);
  }
  for (size_t i = 0; i < reserved && !picks_.empty(); ++i) take_reserved();
  // What no other class wanted.
  while (more && picks_.size() < options_.batch) more = take_best(score, false);
  Proposal proposal;
  proposal.expected_gain = picks_.empty() ? 0 : expected_gain();
  proposal.worthwhile = proposal.expected_gain > options_.noise;
  proposal.picks = std::move(picks_);
  return proposal;
}

}  // namespace

std::string_view to_string(PolicyKind kind) {
  return kKinds[static_cast<size_t>(kind)];
}

Result<PolicyKind> parse_policy_kind(std::string_view text) {
  const auto found = std::find(kKinds.begin(), kKinds.end(), text);
  if (found == kKinds.end()) {
    return invalid_argument("there is no such policy; expected greedy, lcb, thompson or reserved");
  }
  return static_cast<PolicyKind>(found - kKinds.begin());
}

Proposal propose(const Ranking& ranking, const OnlineState& online, std::span<const Tried> tried,
                 const PolicyOptions& options, Random& random) {
  return Batch(ranking, online, tried, options).propose(random);
}

}  // namespace triode
