// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

#include <string>
#include <string_view>

namespace triode::exchange {

// Names of Kernel Tuner's in ExchangeRow::extra: JSON, as it stood in the file.
inline constexpr const char* kKernelTunerHeader = "kt.header";  // in the file's first row
inline constexpr const char* kKernelTunerKey = "kt.key";
inline constexpr const char* kKernelTunerEntry = "kt.entry";

// "kernel_tuner.matmul"; "kernel_tuner" for a kernel whose name is no word.
std::string kernel_tuner_family(std::string_view kernel);

}  // namespace triode::exchange
