// SPDX-License-Identifier: Apache-2.0
// The program behind `triode report`.

#include <spawn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/unix_time.h"
#include "report_help.h"
#include "runtime/model/shipped_models.h"
#include "tools/cache/arguments.h"
#include "tools/cache/cache_folder.h"
#include "tools/cache/open_cache.h"
#include "tools/cache/output_file.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/help_and_version.h"
#include "tools/report/calls_made.h"
#include "tools/report/predictions.h"
#include "tools/report/report_json.h"
#include "tools/report/report_page.h"

namespace triode::report_tool {
namespace {

using cache_tool::Arguments;

constexpr std::string_view kCommand = "report";

constexpr std::string_view kDefaultOutput = "triode-report.html";

constexpr std::array<std::string_view, 2> kOptions = {"--cache", "--output"};
constexpr std::array<std::string_view, 4> kFlags = {"--compare", "--json", "--open", "--quiet"};

Result<ReportFacts> facts_of(const std::string& path, bool is_quiet) {
  const auto cache = TRIODE_TRY(cache_tool::open_to_read(path));
  ReportFacts facts = TRIODE_TRY(gather_facts(*cache));
  const Status predicted = add_predictions(cache->models(), shipped_models_folder(), facts);
  if (!predicted.ok() && !is_quiet) {
    std::cerr << "triode-report: without predictions: " << predicted.message() << "\n";
  }
  return facts;
}

Result<nlohmann::ordered_json> json_for(const Arguments& arguments) {
  const bool is_quiet = arguments.has("--quiet");
  const int64_t now = unix_seconds();
  if (!arguments.has("--compare")) {
    const std::string path = TRIODE_TRY(cache_tool::store_path(arguments));
    ReportFacts facts = TRIODE_TRY(facts_of(path, is_quiet));
    add_calls_of_tuner(cache_tool::folder_of_store(path), facts);
    return report_json(facts, {}, now);
  }
  const ReportFacts a =
      TRIODE_TRY(facts_of(cache_tool::store_at(arguments.positionals()[0]), is_quiet));
  const ReportFacts b =
      TRIODE_TRY(facts_of(cache_tool::store_at(arguments.positionals()[1]), is_quiet));
  return comparison_json(a, b, now);
}

// Shows it in the user's browser, as a file manager would.
Status open_page(const std::string& path) {
  std::string program = "xdg-open";
  std::string file = path;
  std::array<char*, 3> words = {program.data(), file.data(), nullptr};
  pid_t process = 0;
  if (::posix_spawnp(&process, "xdg-open", nullptr, nullptr, words.data(), environ) != 0) {
    return not_found("there is no xdg-open to show " + path + " with; open it in a browser");
  }
  return {};
}

Status check_usage(const Arguments& arguments) {
  const size_t words = arguments.positionals().size();
  if (arguments.has("--compare") && words != 2) {
    return invalid_argument(
        "--compare takes two caches: their folders, or what 'triode cache path' prints");
  }
  if (!arguments.has("--compare") && words != 0) {
    return invalid_argument("'" + arguments.positionals()[0] +
                            "': report takes no words; the cache is named by --cache");
  }
  if (arguments.has("--compare") && arguments.value("--cache")) {
    return invalid_argument("--cache and --compare exclude each other");
  }
  if (arguments.has("--json") && arguments.has("--open")) {
    return invalid_argument("--json and --open exclude each other");
  }
  return {};
}

Status write_page(const nlohmann::ordered_json& json, const Arguments& arguments) {
  const std::string path = arguments.value_or("--output", kDefaultOutput);
  const std::string library = TRIODE_TRY(read_chart_library());
  TRIODE_TRY(cache_tool::write_output(path, report_page(json, library)));
  if (!arguments.has("--quiet")) {
    std::cout << std::filesystem::absolute(path).string() << "\n";
    if (::isatty(STDERR_FILENO) != 0 && !arguments.has("--open")) {
      std::cerr << "open it in a browser, or make it with --open\n";
    }
  }
  return arguments.has("--open") ? open_page(path) : Status();
}

int run_report(const Arguments& arguments) {
  const Status usage = check_usage(arguments);
  if (!usage.ok()) return cli::complain(kCommand, usage, cli::kWrongUsage);
  const auto json = json_for(arguments);
  if (!json.ok()) return cli::complain(kCommand, json.status(), cli::kFailed);
  if (arguments.has("--json")) {
    std::cout << json->dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) << "\n";
    return cli::kDone;
  }
  const Status written = write_page(*json, arguments);
  return written.ok() ? cli::kDone : cli::complain(kCommand, written, cli::kFailed);
}

int run(std::vector<std::string> words) {
  if (const auto code =
          cli::answer_help_or_version(words, "triode-report", help::kReportHelp, std::cout)) {
    return *code;
  }
  std::replace(words.begin(), words.end(), std::string("-o"), std::string("--output"));
  const Result<Arguments> arguments = Arguments::parse(words, kOptions, kFlags);
  if (!arguments.ok()) return cli::complain(kCommand, arguments.status(), cli::kWrongUsage);
  return run_report(*arguments);
}

}  // namespace
}  // namespace triode::report_tool

int main(int argc, char** argv) {
  const int code = triode::report_tool::run({argv + (argc > 0 ? 1 : 0), argv + argc});
  return triode::cli::exit_code_after_output(code, std::cout);
}
