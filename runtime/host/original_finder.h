// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtime/host/blas_symbols.h"

namespace triode::host {

// The function that a call of `symbol` from `caller` (an address in the calling object) would have
// reached without Triode, found as the loader finds it: in the global scope but for us, then in the
// calling object and what it depends on; failing that, in a BLAS that is loaded, then in any loaded
// object. Null if nobody defines it. Takes the loader's lock; tens of microseconds.
void* find_original(Symbol symbol, const void* caller);

// The same by the global scope alone, where most programs have their BLAS. No allocation.
void* find_global_original(Symbol symbol);

}  // namespace triode::host
