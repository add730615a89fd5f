// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/device.h"
#include "runtime/host/raw_call.h"

namespace triode::host {

// Calls an original function with all that a call of its symbol says. Its key names the symbol.
void call_original(void* original, const RawCall& call);

// Calls of an original function with the arguments of a key on operands of one's own: what a
// candidate has to beat, spelt as the program spells it. The operands are in the order of the
// problem that the key means. Throws nothing; a copy may be called on another thread.
VendorKernel bind_original(void* original, const CallKey& key, bool operands_exchanged);

}  // namespace triode::host
