// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace triode {

// How a store is opened. There is one writer at a time, and any number of readers beside it.
enum class StoreMode : uint8_t {
  kReadWrite,
  kReadOnly,  // sees what was there when it opened
};

}  // namespace triode
