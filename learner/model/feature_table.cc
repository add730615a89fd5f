// SPDX-License-Identifier: Apache-2.0
#include "learner/model/feature_table.h"

#include <algorithm>
#include <array>

#include "core/key.h"
#include "learner/model/feature_kind.h"

namespace triode {

std::string_view to_string(FeatureScope scope) {
  constexpr std::array<std::string_view, 3> kNames = {"problem", "config", "both"};
  return kNames[static_cast<size_t>(scope)];
}

std::optional<size_t> FeatureTable::position_of(std::string_view name) const {
  const auto found = std::find_if(features.begin(), features.end(),
                                  [&](const FeatureDescription& f) { return f.name == name; });
  if (found == features.end()) return std::nullopt;
  return static_cast<size_t>(found - features.begin());
}

FeatureTable make_table(DeviceKind kind, std::span<const FeatureDescription> features,
                        std::span<const std::string_view> quantities) {
  FeatureTable table{kind, features, quantities};
  std::string text(to_string(kind));
  for (const FeatureDescription& feature : features) {
    text.append("\n").append(feature.name).append("|").append(feature.formula);
    text.append("|").append(feature.unit);
    table.problem_count += feature.scope == FeatureScope::kProblem ? 1 : 0;
  }
  for (const std::string_view quantity : quantities) text.append("\n").append(quantity);
  table.schema_hash = hash_bytes(text);
  return table;
}

const FeatureTable& feature_table(DeviceKind kind) {
  return kind == DeviceKind::kGpu ? gpu_feature_table() : cpu_feature_table();
}

std::string to_markdown(const FeatureTable& table) {
  std::string text = "Quantities:\n\n";
  for (const std::string_view quantity : table.quantities) {
    text.append("- `").append(quantity).append("`\n");
  }
  text += "\n| # | feature | formula | unit | depends on |\n|---|---|---|---|---|\n";
  for (size_t i = 0; i < table.size(); ++i) {
    const FeatureDescription& feature = table.features[i];
    text.append("| ").append(std::to_string(i)).append(" | ").append(feature.name);
    text.append(" | `").append(feature.formula).append("` | ").append(feature.unit);
    text.append(" | ").append(to_string(feature.scope)).append(" |\n");
  }
  return text;
}

}  // namespace triode
