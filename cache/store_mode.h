// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace triode {

// How a store is opened. There is one writer at a time; readers see what was there when they
// opened.
enum class StoreMode : uint8_t { kReadWrite, kReadOnly };

}  // namespace triode
