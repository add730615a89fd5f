// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/command_line.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <ostream>

#include "bench_help.h"
#include "tools/cli/help_and_version.h"

namespace triode::bench {

void declare_standard(CLI::App& app, StandardOptions& options) {
  app.set_help_flag();  // the help text is docs/cli/bench.md
  app.add_flag("--help,-h", options.help);
  app.add_flag("--version", options.version);
  app.add_flag("--json", options.json);
  app.add_flag("--quiet", options.quiet);
}

Status parse(CLI::App& app, const std::vector<std::string>& arguments) {
  try {
    // It pops from the end.
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::ParseError& error) {
    return invalid_argument(error.what());
  }
  return {};
}

std::string_view help_text() {
  return help::kBenchHelp;
}

void print_version(bool json, std::ostream& out) {
  cli::print_version("triode-bench", json, out);
}

int complain(const Status& status, int code, std::ostream& err) {
  return cli::complain("bench", status, code, err);
}

std::optional<int> answer_without_measuring(const StandardOptions& options, std::ostream& out) {
  if (options.help) {
    out << help_text();
  } else if (options.version) {
    print_version(options.json, out);
  } else {
    return std::nullopt;
  }
  return kDone;
}

int print_measured(const Result<nlohmann::ordered_json>& document, const StandardOptions& options,
                   PrintTable print_table, std::ostream& out, std::ostream& err) {
  if (!document.ok()) return complain(document.status(), kFailed, err);
  if (options.json) {
    out << document->dump(2) << "\n";
  } else {
    print_table(*document, out);
  }
  return kDone;
}

}  // namespace triode::bench
