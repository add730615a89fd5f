// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/status_messages.h"

#include <array>
#include <cstddef>

namespace triode::tuner {

std::string_view to_string(ProblemState state) {
  constexpr std::array<std::string_view, 6> kNames = {"queued", "timing", "trusted",
                                                      "tuned",  "vendor", "withdrawn"};
  const auto position = static_cast<size_t>(state);
  return position < kNames.size() ? kNames[position] : "?";
}

}  // namespace triode::tuner
