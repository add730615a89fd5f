// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "core/problem.h"
#include "core/status.h"
#include "runtime/device/cpu_device.h"
#include "runtime/host/plan_file.h"

namespace triode::bench {

// Plans for cblas_sgemm of row-major f32 problems at tight strides, as a host on one thread looks
// for them in a plan file. `vendor_gemm` is the function that the host stands in front of.

// The plan that a host's own search finds, on the calling thread. Empty if no kernel beat the
// vendor beyond the noise.
Result<std::optional<StoredPlan>> find_plan(CpuDevice& device, const Problem& problem,
                                            void* vendor_gemm, std::chrono::nanoseconds budget,
                                            std::uint64_t seed);

// A plan that nobody measured: for a file that must hold one and is not to answer a call.
Result<StoredPlan> unmeasured_plan(CpuDevice& device, const Problem& problem, void* vendor_gemm);

}  // namespace triode::bench
