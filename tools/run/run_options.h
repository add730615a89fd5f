// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/status.h"
#include "tools/run/program_variables.h"

namespace triode::run {

// What `triode run --help` prints.
std::string_view help_text();

// The command line of `triode run`.
struct RunOptions {
  bool help = false;
  bool version = false;
  bool json = false;  // of the version; the report's is one of the variables
  bool quiet = false;
  std::vector<Variable> variables;  // the settings that were given, each valid; the last one counts
  std::vector<std::string> command;  // PROGRAM and its arguments; empty only with help or version
};

// Takes the arguments after `triode run`. Each row of setting_rows() is an option, as `--mode tune`
// or `--mode=tune`; what follows PROGRAM is PROGRAM's. kInvalidArgument for an unknown option, a
// wrong value or no PROGRAM; the message lists what is valid.
Result<RunOptions> parse_run_options(const std::vector<std::string>& arguments);

}  // namespace triode::run
