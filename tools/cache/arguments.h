// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.h"

namespace triode::cache_tool {

// The words after `triode cache COMMAND`, sorted. No CLI11: it would be most of the program's
// start.
class Arguments {
 public:
  // Takes `--name value` and `--name=value` for the names in `options`, `--name` for those in
  // `flags`, and everything else as a positional word; `--` ends the options. kInvalidArgument for
  // an unknown name, with the nearest known one, for a missing value and for a name given twice.
  static Result<Arguments> parse(std::span<const std::string> words,
                                 std::span<const std::string_view> options,
                                 std::span<const std::string_view> flags);

  bool has(std::string_view name) const;
  std::optional<std::string> value(std::string_view name) const;
  std::string value_or(std::string_view name, std::string_view otherwise) const;
  // A whole number in [least, most].
  Result<int64_t> number_or(std::string_view name, int64_t otherwise, int64_t least,
                            int64_t most) const;
  const std::vector<std::string>& positionals() const { return positionals_; }

 private:
  std::map<std::string, std::string, std::less<>> values_;
  std::vector<std::string> positionals_;
};

}  // namespace triode::cache_tool
