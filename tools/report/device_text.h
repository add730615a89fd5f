// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/status.h"
#include "core/target.h"

namespace triode::report_tool {

// Reads what device_of() made of a target: without toolchain and driver. kInvalidArgument for what
// it never makes, as the devices that other tools name.
Result<Target> parse_device(const std::string& device);

// The same for people: "AMD EPYC: avx512, 2 cores, 48.0 KiB L1, 1.0 MiB L2, 32.0 MiB L3". A text
// that is none of device_of()'s as it is.
std::string device_text(const std::string& device);

}  // namespace triode::report_tool
