// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace triode {

// How a store is opened. There is one writer at a time, and any number of the others beside it.
enum class StoreMode : uint8_t {
  kReadWrite,
  kReadOnly,  // sees what was there when it opened
  kFollow,    // sees what the writer has written whenever Cache::catch_up is called
};

}  // namespace triode
