// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace triode::cache_tool {

// What the standard streams can show.
struct Terminal {
  bool is_terminal = false;
  bool has_colour = false;  // a terminal, and NO_COLOR is not set
  size_t width = 0;         // characters in a line; 0: no limit

  static Terminal of(int descriptor);
};

}  // namespace triode::cache_tool
