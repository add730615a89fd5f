// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace triode {

// How many random cases to draw: `count` in an ordinary run, twenty times that with
// TRIODE_TEST_LONG=1, which `tools/test --long` sets. A fifth under a sanitizer, where enumerating
// a space takes ten times as long and generated code, which is not instrumented, gains nothing from
// it.
inline int scaled_count(int count) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  count = std::max(1, count / 5);
#endif
  const char* value = std::getenv("TRIODE_TEST_LONG");
  const bool is_long = value != nullptr && std::string_view(value) == "1";
  return is_long ? 20 * count : count;
}

}  // namespace triode
