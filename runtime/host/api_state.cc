// SPDX-License-Identifier: Apache-2.0
#include <triode/triode.h>

#include <array>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <system_error>

#include "core/settings.h"
#include "runtime/host/api_error.h"
#include "runtime/host/host.h"
#include "runtime/host/sized_struct.h"
#include "triode_version.h"

namespace triode::host {
namespace {

// Programs were compiled with these.
static_assert(sizeof(triode_options) == 56);
static_assert(sizeof(triode_statistics) == 72);

// Names of the values 1, 2, ... of an option; 0 is its default.
Result<std::optional<std::string>> name_of(const char* option, int32_t value,
                                           std::span<const char* const> names) {
  if (value == 0) return std::optional<std::string>();
  if (value > 0 && static_cast<size_t>(value) <= names.size()) {
    return std::optional<std::string>(names[static_cast<size_t>(value) - 1]);
  }
  return invalid_argument(std::string(option) + " is " + std::to_string(value) +
                          "; expected 0 to " + std::to_string(names.size()));
}

std::optional<std::string> switch_text(int32_t value) {
  return value != 0 ? std::optional<std::string>("1") : std::nullopt;
}

// Absolute, since the program may change its folder.
std::optional<std::string> path_text(const char* path) {
  if (path == nullptr || *path == '\0') return std::nullopt;
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  return error ? std::string(path) : absolute.string();
}

// By the texts that the variables would have: what they allow and imply is said there once.
Result<Settings> settings_of(const triode_options& options) {
  constexpr std::array kModes = {"off", "observe", "tune", "frozen"};
  constexpr std::array kForced = {"first", "random"};
  constexpr std::array kTuners = {"in-process"};
  auto mode = TRIODE_TRY(name_of("mode", options.mode, kModes));
  auto forced = TRIODE_TRY(name_of("force_plans", options.force_plans, kForced));
  auto tuner = TRIODE_TRY(name_of("in_process", options.in_process, kTuners));
  return read_settings([&](const std::string& variable) -> std::optional<std::string> {
    if (variable == "TRIODE_MODE") return mode;
    if (variable == "TRIODE_THREADS") return std::to_string(options.threads);
    if (variable == "TRIODE_REPORT") return switch_text(options.report);
    if (variable == "TRIODE_REPORT_JSON") return switch_text(options.report_json);
    if (variable == "TRIODE_REPORT_FILE") return path_text(options.report_file);
    if (variable == "TRIODE_CACHE") return path_text(options.cache);
    if (variable == "TRIODE_PLANS") return path_text(options.plans);
    if (variable == "TRIODE_FORCE_PLANS") return forced;
    if (variable == "TRIODE_TUNER") return tuner;
    return std::nullopt;
  });
}

Result<Settings> settings_from(const triode_options* options) {
  if (options == nullptr) return read_settings_from_environment();
  TRIODE_TRY(check_input_struct(options, sizeof *options, "options"));
  return settings_of(*options);
}

int32_t mode_number(Mode mode) {
  switch (mode) {
    case Mode::kOff:
      return TRIODE_MODE_OFF;
    case Mode::kObserve:
      return TRIODE_MODE_OBSERVE;
    case Mode::kTune:
      return TRIODE_MODE_TUNE;
    case Mode::kFrozen:
      break;
  }
  return TRIODE_MODE_FROZEN;
}

triode_statistics summarise(const Report& report) {
  triode_statistics sums{};
  // A report's mode is the name of one.
  if (const auto mode = parse_mode(report.mode); mode.ok()) sums.mode = mode_number(*mode);
  for (const Report::Row& row : report.rows) {
    if (row.has_plan && row.plan.state == PlanState::kPlanned) ++sums.planned;
  }
  sums.shapes = report.rows.size();
  sums.calls = report.calls();
  sums.triode_calls = report.answered();
  sums.empty_calls = report.others.empty;
  sums.unlisted_calls = report.others.unlisted;
  sums.total_ns = report.total_ns();
  sums.saved_ns = report.saved_ns();
  return sums;
}

}  // namespace
}  // namespace triode::host

TRIODE_API triode_status triode_init(const triode_options* options) {
  using namespace triode::host;
  bool is_new = true;
  const triode_status started = guarded("triode_init", [&]() -> triode::Status {
    const triode::Settings settings = TRIODE_TRY(settings_from(options));
    TRIODE_TRY(check_settings(settings));
    is_new = TRIODE_TRY(start_host(settings));
    return {};
  });
  if (started != TRIODE_OK || is_new) return started;
  return fail("triode_init", TRIODE_ALREADY_STARTED,
              "Triode has already started in this process, by an earlier triode_init(), a matmul "
              "or a triode_shutdown(); call it before any of them");
}

TRIODE_API triode_status triode_shutdown(void) {
  using namespace triode::host;
  return guarded("triode_shutdown", []() -> triode::Status {
    stop_host();
    return {};
  });
}

TRIODE_API triode_status triode_stats(triode_statistics* statistics) {
  using namespace triode::host;
  return guarded("triode_stats", [=]() -> triode::Status {
    TRIODE_TRY(check_size(statistics, sizeof *statistics, "statistics"));
    const std::optional<Report> report = report_so_far();
    const triode_statistics sums = report ? summarise(*report) : triode_statistics{};
    write_output_struct(&sums, sizeof sums, statistics);
    return {};
  });
}

TRIODE_API const char* triode_last_error(void) {
  return triode::host::last_error();
}

TRIODE_API const char* triode_version(void) {
  return triode::kVersion.data();
}
