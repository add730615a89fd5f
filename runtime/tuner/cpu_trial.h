// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "core/device.h"
#include "core/status.h"
#include "runtime/tuner/trial_session.h"
#include "runtime/tuner/worker_messages.h"

namespace triode::tuner {

// The device as a program with so many cores sees it.
using MakeDevice = std::function<Result<std::unique_ptr<Device>>(int32_t cores)>;

// Loads the vendor's library, the very file that the host uses, and makes what a call on the
// processor needs: operands between guard pages to check kernels on, and others to time them on.
// kUnsupported if the library, its threads or the machine are not those of the request, or the
// operands take more than 1 GiB. Throws std::bad_alloc. `seed` is of the operands' contents.
Result<std::unique_ptr<TrialSession>> begin_cpu_trial(const BeginRequest& request,
                                                      const MakeDevice& make_device, uint64_t seed);

}  // namespace triode::tuner
