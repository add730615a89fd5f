// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.h"
#include "tools/bench/command_line.h"
#include "tools/run/program_variables.h"

namespace triode::bench {

// What the command line of a benchmark says that a Python with torch and the package measures.
struct PythonOptions : StandardOptions {
  int rounds = 0;
  std::string venv;
};

using Measure = Result<nlohmann::ordered_json> (*)(const PythonOptions& options);

// Runs `program`, which prints one JSON document, in the Python of the options, its argument the
// rounds. The package is that of this build or installation, before any other.
Result<nlohmann::ordered_json> measure_in_python(const PythonOptions& options,
                                                 std::string_view program,
                                                 std::vector<run::Variable> variables = {});

// "   12.3 ns  ± 4.0 %  text": a figure of the summary, by printf's `format`, with its spread.
void print_figure(const nlohmann::ordered_json& summary, const char* format, const char* figure,
                  std::ostream& out);

// The whole of such a benchmark; returns the exit code.
int run_python_benchmark(const std::vector<std::string>& arguments, int usual_rounds,
                         Measure measure, PrintTable print_table, std::ostream& out,
                         std::ostream& err);

}  // namespace triode::bench
