// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/target.h"
#include "runtime/tuner/messages.h"

namespace triode::tuner {

// cblas_sgemm of square matrices, row-major, by a library that is not there.
VendorCall sample_call(int64_t size);

// A machine that is not this one.
Target sample_target();

}  // namespace triode::tuner
