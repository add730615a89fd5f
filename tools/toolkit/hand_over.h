// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.h"

namespace triode::toolkit {

// Whether one of `options` ("--num-shapes") is among the arguments, by itself or with "=value".
bool has_option(std::span<const std::string> arguments, std::span<const std::string_view> options);

// Becomes `triode-toolkit MODE ARGUMENTS...`, which lies beside this program: Python, where diode's
// options are understood. Returns only if that failed, with what to do.
Status become_toolkit(std::string_view mode, const std::vector<std::string>& arguments);

}  // namespace triode::toolkit
