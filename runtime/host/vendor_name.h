// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "runtime/host/raw_call.h"

namespace triode::host {

// What a plan for this key was measured against: library, build and function. A plan that beat one
// is never used in front of another.
std::string vendor_name(const CallKey& key);

}  // namespace triode::host
