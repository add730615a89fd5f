// SPDX-License-Identifier: Apache-2.0
#include "core/unix_time.h"

#include <chrono>

namespace triode {

int64_t unix_seconds() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

}  // namespace triode
