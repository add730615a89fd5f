// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string_view>

#include "core/status.h"

namespace triode::bench {

// What the command lines of all benchmarks have alike.

constexpr int kDone = 0;
constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

// What `triode bench --help` prints, whatever the benchmark.
std::string_view help_text();

// Prints the version as `--version` does, with `--json` or without.
void print_version(bool json, std::ostream& out);

// Says what went wrong, and after wrong usage where to read on. Returns the exit code given.
int complain(const Status& status, int code, std::ostream& err);

}  // namespace triode::bench
