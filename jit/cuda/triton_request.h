// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/config.h"
#include "core/problem.h"
#include "core/status.h"

namespace triode::cuda {

// What compile_worker.py is asked for one config of triton_space(): lines that, together with the
// toolchain, decide the code. Problems with the same request can share a kernel. kUnsupported for
// what the kernel does not do.
Result<std::string> triton_request(const Problem& problem, const Config& config,
                                   const std::string& arch);

// Asks for the toolchain alone.
std::string triton_toolchain_request(const std::string& arch);

}  // namespace triode::cuda
