// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/python_measurement.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <ostream>
#include <system_error>

#include "tools/bench/child_process.h"
#include "tools/bench/command_line.h"

namespace triode::bench {
namespace {

using Json = nlohmann::ordered_json;

Result<PythonOptions> parse_options(const std::vector<std::string>& arguments, int usual_rounds) {
  PythonOptions options;
  options.rounds = usual_rounds;
  options.venv = TRIODE_DEFAULT_VENV;
  CLI::App app;
  declare_standard(app, options);
  app.add_option("--rounds", options.rounds)->check(CLI::Range(3, 10'000));
  app.add_option("--venv", options.venv)->envname("TRIODE_VENV");
  TRIODE_TRY(parse(app, arguments));
  return options;
}

std::string package_path() {
  std::error_code ignored;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  const auto beside = program.parent_path().parent_path() / "python";
  const char* const given = std::getenv("PYTHONPATH");
  return beside.string() + (given == nullptr ? "" : ":" + std::string(given));
}

}  // namespace

Result<Json> measure_in_python(const PythonOptions& options, std::string_view program,
                               std::vector<run::Variable> variables) {
  const std::vector<std::string> command = {options.venv + "/bin/python3", "-c",
                                            std::string(program), std::to_string(options.rounds)};
  variables.push_back({"PYTHONPATH", package_path()});
  const Result<std::string> said = output_of(command, environment_with(variables));
  if (!said.ok()) {
    return unavailable("no Python with torch and triode could measure: " + said.status().message() +
                       "; run tools/setup, or give --venv");
  }
  Json document = Json::parse(
      said->substr(said->find('{') == std::string::npos ? 0 : said->find('{')), nullptr, false);
  if (document.is_discarded()) return internal_error("the measuring Python said: " + *said);
  return document;
}

void print_figure(const Json& summary, const char* format, const char* figure, std::ostream& out) {
  char text[160];
  std::snprintf(text, sizeof text, format, summary[figure].get<double>(),
                summary[std::string(figure) + "_spread"].get<double>());
  out << text;
}

int run_python_benchmark(const std::vector<std::string>& arguments, int usual_rounds,
                         Measure measure, PrintTable print_table, std::ostream& out,
                         std::ostream& err) {
  const Result<PythonOptions> options = parse_options(arguments, usual_rounds);
  if (const auto answered = answer_without_measuring(options, out, err)) return *answered;
  return print_measured(measure(*options), *options, print_table, out, err);
}

}  // namespace triode::bench
