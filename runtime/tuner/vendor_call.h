// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/device.h"
#include "core/problem.h"
#include "core/status.h"
#include "runtime/tuner/messages.h"

namespace triode::tuner {

// The problem that a reported call means. kUnsupported for a symbol that this version does not know
// and for a call that is no matmul.
Result<Problem> problem_of(const VendorCall& call);

// Calls `function`, which is the call's symbol, with the call's own arguments on operands of that
// problem. problem_of() must have succeeded.
VendorKernel bind_vendor(const VendorCall& call, void* function);

}  // namespace triode::tuner
