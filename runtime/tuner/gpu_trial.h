// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "core/status.h"
#include "runtime/tuner/trial_session.h"
#include "runtime/tuner/worker_messages.h"

namespace triode::tuner {

// A call on a GPU in a trial worker: the program's own driver, device and cuBLAS. Programs come
// with their code and are only loaded here. What makes the GPU fault ends the worker (is_last),
// since nothing runs in its context after that.
//
// kUnsupported if the program sees another GPU or another library than this process.
Result<std::unique_ptr<TrialSession>> begin_gpu_trial(const BeginRequest& request, uint64_t seed);

}  // namespace triode::tuner
