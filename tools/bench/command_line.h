// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.h"
#include "tools/cli/exit_code.h"

namespace CLI {
class App;
}

namespace triode::bench {

// What the command lines of all benchmarks have alike.

using cli::kDone;
using cli::kFailed;
using cli::kWrongUsage;

struct StandardOptions {
  bool help = false;
  bool version = false;
  bool json = false;
  bool quiet = false;
};

void declare_standard(CLI::App& app, StandardOptions& options);

// Reads the arguments after the benchmark's name. kInvalidArgument says what was wrong and what is
// valid.
Status parse(CLI::App& app, const std::vector<std::string>& arguments);

// What `triode bench --help` prints, whatever the benchmark.
std::string_view help_text();

// Prints the version as `--version` does, with `--json` or without.
void print_version(bool json, std::ostream& out);

// Says what went wrong, and after wrong usage where to read on. Returns the exit code given.
int complain(const Status& status, int code, std::ostream& err);

// Prints what these options ask for in place of a measurement. Empty if nothing.
std::optional<int> answer_without_measuring(const StandardOptions& options, std::ostream& out);

// The same of options that were parsed, perhaps wrongly.
template <typename Options>
std::optional<int> answer_without_measuring(const Result<Options>& options, std::ostream& out,
                                            std::ostream& err) {
  if (!options.ok()) return complain(options.status(), kWrongUsage, err);
  return answer_without_measuring(*options, out);
}

using PrintTable = void (*)(const nlohmann::ordered_json& document, std::ostream& out);

// Prints what was measured, as `--json` does or as a table; or why it could not be. Returns the
// exit code.
int print_measured(const Result<nlohmann::ordered_json>& document, const StandardOptions& options,
                   PrintTable print_table, std::ostream& out, std::ostream& err);

}  // namespace triode::bench
