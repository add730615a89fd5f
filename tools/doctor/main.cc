// SPDX-License-Identifier: Apache-2.0
// The program behind `triode doctor`.

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "doctor_help.h"
#include "runtime/device/usable_cores.h"
#include "tools/cache/arguments.h"
#include "tools/cache/cache_folder.h"
#include "tools/cache/text_table.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/help_and_version.h"
#include "tools/cli/subcommands.h"
#include "tools/doctor/gpu_checks.h"
#include "tools/doctor/installation_checks.h"
#include "tools/doctor/machine_checks.h"
#include "triode_version.h"

namespace triode::doctor_tool {
namespace {

using cache_tool::Arguments;
using cache_tool::TextTable;
using cache_tool::Tone;

constexpr std::string_view kCommand = "doctor";

constexpr std::array<std::string_view, 7> kOptions = {
    "--cache", "--python", "--output", "--types", "--configs", "--size", "--patience"};
constexpr std::array<std::string_view, 3> kFlags = {"--gpu", "--json", "--quiet"};

int wrong_usage(const Status& status) {
  return cli::complain(kCommand, status, cli::kWrongUsage);
}

// The environment that Triode was built with, else the first python3 of PATH.
std::string python_to_ask(const Arguments& arguments) {
  if (const auto named = arguments.value("--python")) return *named;
  const std::string built_with = std::string(TRIODE_VENV) + "/bin/python";
  if (::access(built_with.c_str(), X_OK) == 0) return built_with;
  for (const std::string& folder : cli::search_folders()) {
    const std::string python = folder + "/python3";
    if (::access(python.c_str(), X_OK) == 0) return python;
  }
  return "";
}

Findings examine(const Arguments& arguments) {
  Findings all;
  const auto add = [&](Findings some) {
    for (Finding& finding : some) all.push_back(std::move(finding));
  };
  add(check_cpu());
  add(check_quiet("/", usable_cores()));
  add(check_memory("/"));
  add(check_blas(usual_blas_names()));
  add(check_installation(std::filesystem::read_symlink("/proc/self/exe").parent_path().string()));
  const Result<std::string> store = cache_tool::store_path(arguments);
  if (store.ok()) {
    add(check_cache(*store));
    add(check_tuner(cache_tool::folder_of_store(*store)));
  } else {
    add({{"cache", Health::kBad, store.status().message(), "set TRIODE_CACHE or HOME"}});
  }
  add(check_python(python_to_ask(arguments)));
  add(check_gpu_driver());
  return all;
}

Tone tone_of(Health health) {
  switch (health) {
    case Health::kGood:
      return Tone::kGood;
    case Health::kRemark:
      return Tone::kFaint;
    case Health::kBad:
      return Tone::kBad;
  }
  return Tone::kPlain;
}

void print_table(const Findings& findings, bool is_quiet) {
  TextTable table({{"", false, false}, {"", false, false}, {"", false, false}});
  for (const Finding& finding : findings) {
    if (is_quiet && finding.health != Health::kBad) continue;
    table.add({{std::string(to_string(finding.health)), tone_of(finding.health)},
               {finding.subject, Tone::kPlain},
               {finding.text, Tone::kPlain}});
    if (!finding.fix.empty()) {
      table.add({{"", Tone::kPlain}, {"", Tone::kPlain}, {"-> " + finding.fix, Tone::kFaint}});
    }
  }
  if (!table.empty()) std::cout << table.text(cache_tool::Terminal::of(STDOUT_FILENO));
}

nlohmann::ordered_json json_of(const Findings& findings, const std::string& gpu_report) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Finding& finding : findings) {
    rows.push_back({{"subject", finding.subject},
                    {"health", to_string(finding.health)},
                    {"text", finding.text},
                    {"fix", finding.fix}});
  }
  nlohmann::ordered_json json{
      {"well", is_well(findings)}, {"version", kVersion}, {"findings", rows}};
  if (!gpu_report.empty()) json["gpu"] = nlohmann::ordered_json::parse(gpu_report);
  return json;
}

std::string text_of(const nlohmann::ordered_json& json, int indent) {
  return json.dump(indent, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
}

Status write_report(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text << std::flush;
  return file ? Status() : unavailable("the report could not be written to \"" + path + "\"");
}

Status check_words(const Arguments& arguments) {
  if (!arguments.positionals().empty()) {
    return invalid_argument("doctor takes no words; see its options");
  }
  if (arguments.has("--gpu")) return {};
  for (const std::string_view name : kGpuOptions) {
    if (arguments.has(name)) return invalid_argument(std::string(name) + " goes with --gpu");
  }
  return {};
}

int run(std::vector<std::string> words) {
  if (const auto code =
          cli::answer_help_or_version(words, "triode-doctor", help::kDoctorHelp, std::cout)) {
    return *code;
  }
  std::replace(words.begin(), words.end(), std::string("-o"), std::string("--output"));
  const Result<Arguments> arguments = Arguments::parse(words, kOptions, kFlags);
  if (!arguments.ok()) return wrong_usage(arguments.status());
  if (const Status status = check_words(*arguments); !status.ok()) return wrong_usage(status);
  GpuExamination gpu;
  if (arguments->has("--gpu")) {  // first: it forks
    auto examined = examine_gpu(*arguments, arguments->has("--quiet"));
    if (!examined.ok()) return wrong_usage(examined.status());
    gpu = std::move(examined).take();
  }
  Findings findings = examine(*arguments);
  findings.insert(findings.end(), gpu.findings.begin(), gpu.findings.end());
  const nlohmann::ordered_json json = json_of(findings, gpu.report);
  if (arguments->has("--json")) {
    std::cout << text_of(json, -1);
  } else {
    print_table(findings, arguments->has("--quiet"));
  }
  if (const auto path = arguments->value("--output")) {
    const Status written = write_report(*path, text_of(json, 1));
    if (!written.ok()) return cli::complain(kCommand, written, cli::kFailed);
    if (!arguments->has("--quiet")) std::cerr << "report in " << *path << "\n";
  }
  return is_well(findings) ? cli::kDone : cli::kFailed;
}

}  // namespace
}  // namespace triode::doctor_tool

int main(int argc, char** argv) {
  const int code = triode::doctor_tool::run({argv + (argc > 0 ? 1 : 0), argv + argc});
  return triode::cli::exit_code_after_output(code, std::cout);
}
