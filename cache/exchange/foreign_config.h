// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/status.h"

namespace triode::exchange {

// What a parameter of a tool's config may be; monostate is its null.
using ParameterValue = std::variant<std::monostate, bool, int64_t, double, std::string>;

// A config in another tool's words: which kernel it is for, and its parameters by name. Kernels
// that several tools share have one family and one name per parameter ("triton": block_m, block_n,
// block_k, group_m, num_stages, num_warps, ...), so that what one tool measured helps another.
// A plain value.
struct ForeignConfig {
  struct Parameter {
    std::string name;
    ParameterValue value;

    bool operator==(const Parameter&) const = default;
  };

  std::string family;                 // a word; empty for a config of a Space of ours
  std::vector<Parameter> parameters;  // by name, in ascending order, no two alike

  bool operator==(const ForeignConfig&) const = default;

  void set(std::string_view name, ParameterValue value);
  const ParameterValue* find(std::string_view name) const;  // null if there is none
  // A whole number of that name, or `otherwise`.
  int64_t number_or(std::string_view name, int64_t otherwise) const;
};

// "triton block_k=32 block_m=64 name=\"a b\"": the family, then every parameter; a text that could
// be taken for something else stands in JSON's quotes. Canonical: equal configs, equal text.
std::string to_string(const ForeignConfig& config);

// Reads that text, and the text of a Space's config (no family). parse(to_string(c)) == c for every
// c whose names are words. kInvalidArgument names the token.
Result<ForeignConfig> parse_foreign_config(std::string_view text);

// Names a parameter may have: letters, digits, '_', '.' and '-', at most kMostNameBytes.
bool is_parameter_name(std::string_view name);
inline constexpr size_t kMostNameBytes = 100;

}  // namespace triode::exchange
