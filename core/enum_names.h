// SPDX-License-Identifier: Apache-2.0
// Internal to core.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "core/error_text.h"
#include "core/status.h"

namespace triode {

// The words for the values of an enum, in declaration order: one table serves printing and parsing.
template <typename Enum, size_t kCount>
struct EnumNames {
  std::string_view noun;  // "a type", for "... is not a type"
  std::array<std::string_view, kCount> names;

  // "?" for a number that is none of the enum's values, so that printing damaged bytes is harmless.
  constexpr std::string_view name_of(Enum value) const {
    const auto position = static_cast<size_t>(value);
    return position < kCount ? names[position] : std::string_view("?");
  }

  Result<Enum> parse(std::string_view text) const {
    const auto found = std::find(names.begin(), names.end(), text);
    if (found == names.end()) {
      return invalid_argument(in_quotes(text) + " is not " + std::string(noun) + "; expected " +
                              one_of(names));
    }
    return static_cast<Enum>(found - names.begin());
  }
};

}  // namespace triode
