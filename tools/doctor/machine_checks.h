// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "tools/doctor/finding.h"

namespace triode::doctor_tool {

// The processor: whether kernels can be emitted for it, and how many cores there are.
Findings check_cpu();

// Whether timings will be steady: the governor of the clock, and what else runs. Reads below
// `root`, which is "/" but in tests.
Findings check_quiet(const std::filesystem::path& root, int32_t cores);

// Whether trials will find the memory they need. Reads below `root` likewise.
Findings check_memory(const std::filesystem::path& root);

// The BLAS libraries that the loader finds under these names, and which matmuls of theirs are
// intercepted. None is a remark: programs may bring their own.
Findings check_blas(std::span<const std::string> names);

// The names under which systems keep them.
std::span<const std::string> usual_blas_names();

// The driver of NVIDIA's gpus, and the devices that it has.
Findings check_gpu_driver(const std::string& library = "libcuda.so.1");

}  // namespace triode::doctor_tool
