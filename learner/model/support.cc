// SPDX-License-Identifier: Apache-2.0
#include "learner/model/support.h"

#include <algorithm>
#include <array>

#include "learner/model/feature_table.h"

namespace triode {
namespace {

// Problem features are logarithms to base two or flags: one more than was seen is a factor of two.
constexpr float kMostBeyond = 1.0f;
// But a processor with vectors of another width has other kernels, not larger ones: where one width
// alone was trained, the model has no feature for it.
constexpr std::string_view kExactFeature = "device_vector";

template <typename Value>
bool contains(const std::vector<Value>& values, const Value& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

SupportVerdict unknown(std::string reason) {
  return {Support::kUnknown, std::move(reason)};
}
SupportVerdict extrapolated(std::string reason) {
  return {Support::kExtrapolated, std::move(reason)};
}

std::string outside(const TrainingSupport& trained, DeviceKind kind,
                    std::span<const float> values) {
  const FeatureTable& table = feature_table(kind);
  for (size_t i = 0; i < values.size() && i < trained.problem_least.size(); ++i) {
    const std::string_view name = table.features[i].name;
    // Half of a step, since logarithms are approximate.
    const float beyond = name == kExactFeature ? kMostBeyond / 2 : kMostBeyond;
    if (values[i] < trained.problem_least[i] - beyond ||
        values[i] > trained.problem_greatest[i] + beyond) {
      return std::string(name) + " is beyond what was trained";
    }
  }
  return {};
}

}  // namespace

std::string_view to_string(Support support) {
  constexpr std::array<std::string_view, 3> kNames = {"in support", "extrapolated", "unknown"};
  return kNames[static_cast<size_t>(support)];
}

SupportVerdict judge_support(const TrainingSupport& trained, const RankingTask& task,
                             std::span<const float> problem_features) {
  const Problem& problem = task.problem;
  if (!contains(trained.families, task.family)) {
    return unknown("no " + std::string(to_string(task.family)) + " kernel was trained");
  }
  if (!contains(trained.dtypes, problem.a_type) || problem.b_type != problem.a_type) {
    return unknown("no product of " + std::string(to_string(problem.a_type)) + " and " +
                   std::string(to_string(problem.b_type)) + " was trained");
  }
  if (!contains(trained.devices, task.device.name)) {
    return extrapolated("no " + task.device.name + " was trained");
  }
  if (!contains(trained.ops, problem.op) || problem.epilogue != Epilogue::kNone) {
    return extrapolated("the op was not trained, but runs the same loop over tiles");
  }
  std::string feature = outside(trained, task.device.kind, problem_features);
  if (!feature.empty()) return extrapolated(std::move(feature));
  return {};
}

}  // namespace triode
