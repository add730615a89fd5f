// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace triode {

// Seconds since 1970, by the machine's calendar: what records are dated with.
int64_t unix_seconds();

}  // namespace triode
