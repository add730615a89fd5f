// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string_view>

#include "core/status.h"

namespace triode::cli {

// How a program ends.
inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;
inline constexpr int kWrongUsage = 2;

// Says on `err` what went wrong in `triode <command>`, and after a wrong usage where the right one
// stands. Returns `code`.
int complain(std::string_view command, const Status& status, int code, std::ostream& err);
// On stderr.
int complain(std::string_view command, const Status& status, int code);

}  // namespace triode::cli
