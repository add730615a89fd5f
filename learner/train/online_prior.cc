// SPDX-License-Identifier: Apache-2.0
#include "learner/train/online_prior.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "learner/model/cost_model.h"
#include "learner/model/feature_table.h"

namespace triode::train {
namespace {

// A feature whose weight is learned online beside the net's basis: those whose names begin so.
struct LearnedFeatures {
  std::string_view prefix;
  double deviation;  // of the weight before any timing: how far ln time may move by one unit
};

// The first that fits counts. For a type or a layout a mechanism of the device may be worth a
// factor of three, as warpgroups are for tf32; for all configs that use it, tenths. Told otherwise
// by nothing, the first timings of the former would be taken for the latter, and the configs
// without the mechanism for the fast ones of every type. The analytical times let a device correct
// what it is said to compute, load and wait.
constexpr LearnedFeatures kLearned[] = {
    {"wg_simt", 1}, {"wg_tf32", 1}, {"wg", 0.1}, {"time_", 0.1}};

const LearnedFeatures* find_learned(std::string_view name) {
  const auto* const found = std::find_if(
      std::begin(kLearned), std::end(kLearned),
      [name](const LearnedFeatures& learned) { return name.starts_with(learned.prefix); });
  return found == std::end(kLearned) ? nullptr : found;
}

// Of a cpu none: what they would add was measured on gpu timings alone.
std::vector<uint16_t> learned_features(const FeatureTable& table) {
  std::vector<uint16_t> positions;
  if (table.kind == DeviceKind::kCpu) return positions;
  for (size_t f = 0; f < table.size(); ++f) {
    if (find_learned(table.features[f].name) != nullptr) {
      positions.push_back(static_cast<uint16_t>(f));
    }
  }
  return positions;
}

OnlineState blank_state(size_t size, std::vector<uint16_t> features) {
  OnlineState state;
  state.features = std::move(features);
  state.mean.assign(size, 0);
  state.covariance.assign(size * size, 0);
  for (size_t i = 0; i < size; ++i) state.covariance[i * size + i] = 1;
  return state;
}

// A problem counts for at most so many of its configs. A whole space would otherwise weigh hundreds
// of times what a problem of some thirty configs does, and the few timings of a new problem
// nothing.
constexpr double kMostConfigs = 32;

// Adds the Gram matrix of the rows, centred, of the configs that ran.
void add_gram(const std::vector<float>& basis, size_t size, const std::vector<double>& seconds,
              std::vector<double>& gram) {
  std::vector<double> mean(size);
  double count = 0;
  for (size_t row = 0; row < seconds.size(); ++row) {
    if (std::isnan(seconds[row])) continue;
    count += 1;
    for (size_t i = 0; i < size; ++i) mean[i] += basis[row * size + i];
  }
  for (double& value : mean) value /= count;
  const double weight = std::min(1.0, kMostConfigs / count);
  std::vector<double> centred(size);
  for (size_t row = 0; row < seconds.size(); ++row) {
    if (std::isnan(seconds[row])) continue;
    for (size_t i = 0; i < size; ++i) centred[i] = basis[row * size + i] - mean[i];
    for (size_t i = 0; i < size; ++i) {
      if (centred[i] == 0) continue;
      for (size_t j = 0; j < size; ++j) gram[i * size + j] += weight * centred[i] * centred[j];
    }
  }
}

}  // namespace

Result<OnlineState> online_prior(const Snapshot& snapshot, std::span<const TimedProblem> problems,
                                 const PriorOptions& options) {
  const FeatureTable& table = feature_table(snapshot.kind);
  const std::vector<uint16_t> features = learned_features(table);
  std::vector<double> ridge(static_cast<size_t>(snapshot.nets.front().basis_size()), options.ridge);
  for (const uint16_t feature : features) {
    const double deviation = find_learned(table.features[feature].name)->deviation;
    ridge.push_back(1 / (deviation * deviation));
  }
  const size_t size = ridge.size();
  Snapshot blank = snapshot;
  blank.online = blank_state(size, features);
  const CostModel model = TRIODE_TRY(CostModel::make(std::move(blank)));
  std::vector<double> gram(size * size);
  for (const TimedProblem& timed : problems) {
    const std::vector<float> basis = TRIODE_TRY(model.basis(timed.task(), timed.configs));
    add_gram(basis, size, timed.seconds, gram);
  }
  return tempered_prior(std::move(gram), problems.size(), options.problems, options.noise, ridge,
                        features);
}

}  // namespace triode::train
