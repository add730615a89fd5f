// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "learner/model/device_traits.h"

namespace triode {

// What a feature depends on. The problem's come first in a table: they are the same for all configs
// of a task, and a net folds them into its first bias.
enum class FeatureScope : uint8_t { kProblem, kConfig, kBoth };
std::string_view to_string(FeatureScope scope);  // "problem", "config", "both"

// One column of a net's input.
struct FeatureDescription {
  std::string_view name;     // "log2_waves"
  std::string_view formula;  // "L(tiles / (SM * occ))"
  std::string_view unit;     // "log2", "1", "bytes"
  FeatureScope scope = FeatureScope::kBoth;
};

// The features of a kind of device, in the order of a net's input. Lives for the whole process.
struct FeatureTable {
  DeviceKind kind;
  std::span<const FeatureDescription> features;
  // The quantities that the formulas speak of, each with its own: "gm = ceil(M / bm)".
  std::span<const std::string_view> quantities;
  size_t problem_count = 0;  // features of scope kProblem, which come first
  uint64_t schema_hash =
      0;  // of names, formulas, units and order; a snapshot names the one it needs

  size_t size() const { return features.size(); }
  std::optional<size_t> position_of(std::string_view name) const;
};

const FeatureTable& feature_table(DeviceKind kind);

// The table as Markdown, for docs/learning.md.
std::string to_markdown(const FeatureTable& table);

}  // namespace triode
