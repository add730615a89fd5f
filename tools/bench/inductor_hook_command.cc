// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/inductor_hook_command.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <ostream>
#include <system_error>

#include "core/status.h"
#include "inductor_hook_help.h"
#include "tools/bench/child_process.h"
#include "tools/bench/command_line.h"

namespace triode::bench {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  bool help = false;
  bool version = false;
  bool json = false;
  bool quiet = false;
  int rounds = 101;
  std::string venv = TRIODE_DEFAULT_VENV;
};

Result<Options> parse_options(const std::vector<std::string>& arguments) {
  Options options;
  CLI::App app;
  app.set_help_flag();  // the help text is docs/cli/bench.md
  app.add_flag("--help,-h", options.help);
  app.add_flag("--version", options.version);
  app.add_flag("--json", options.json);
  app.add_flag("--quiet", options.quiet);
  app.add_option("--rounds", options.rounds)->check(CLI::Range(3, 10'000));
  app.add_option("--venv", options.venv)->envname("TRIODE_VENV");
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::ParseError& error) {
    return invalid_argument(error.what());
  }
  return options;
}

// The package of this build or of the installation that this program lies in, before any other.
std::string package_path() {
  std::error_code ignored;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  const auto beside = program.parent_path().parent_path() / "python";
  const char* const given = std::getenv("PYTHONPATH");
  return beside.string() + (given == nullptr ? "" : ":" + std::string(given));
}

Result<Json> measure(const Options& options) {
  const std::vector<std::string> command = {options.venv + "/bin/python3", "-c",
                                            std::string(help::kInductorHook),
                                            std::to_string(options.rounds)};
  const Result<std::string> said =
      output_of(command, environment_with({{"PYTHONPATH", package_path()}}));
  if (!said.ok()) {
    return unavailable("no Python with torch and triode could measure: " + said.status().message() +
                       "; run tools/setup, or give --venv");
  }
  Json document = Json::parse(
      said->substr(said->find('{') == std::string::npos ? 0 : said->find('{')), nullptr, false);
  if (document.is_discarded()) return internal_error("the measuring Python said: " + *said);
  return document;
}

void print_table(const Json& document, std::ostream& out) {
  const Json& summary = document["summary"];
  const auto line = [&](const char* format, const char* figure) {
    char text[160];
    std::snprintf(text, sizeof text, format, summary[figure].get<double>(),
                  100 * summary[std::string(figure) + "_spread"].get<double>());
    out << text;
  };
  line("%10.1f us  ± %4.1f %%  a ranking of 1,400 configs, features and all\n", "rank_us_1400");
  line("%10.2f ms  ± %4.1f %%  the whole hook for one matmul with 1,400 choices\n", "hook_ms");
  char text[120];
  std::snprintf(text, sizeof text,
                "%10.1f x            of diode's speed, whose %.0f ms are recorded\n",
                summary["vs_diode"].get<double>(), document["diode_hook_ms"].get<double>());
  out << text;
}

}  // namespace

int run_inductor_hook(const std::vector<std::string>& arguments, std::ostream& out,
                      std::ostream& err) {
  const Result<Options> options = parse_options(arguments);
  if (!options.ok()) return complain(options.status(), kWrongUsage, err);
  if (options->help) {
    out << help_text();
    return kDone;
  }
  if (options->version) {
    print_version(options->json, out);
    return kDone;
  }
  const Result<Json> document = measure(*options);
  if (!document.ok()) return complain(document.status(), kFailed, err);
  if (options->json) {
    out << document->dump(2) << "\n";
  } else {
    print_table(*document, out);
  }
  return kDone;
}

}  // namespace triode::bench
