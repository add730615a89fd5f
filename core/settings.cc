// SPDX-License-Identifier: Apache-2.0
#include "core/settings.h"

#include <array>
#include <charconv>
#include <cstdlib>
#include <system_error>

#include "core/enum_names.h"
#include "core/error_text.h"

namespace triode {
namespace {

constexpr EnumNames<Mode, 4> kModes = {"a mode", {"off", "observe", "tune", "frozen"}};
constexpr EnumNames<ForcedPlans, 3> kForcedPlans = {"a choice of plans",
                                                    {"off", "first", "random"}};
constexpr EnumNames<SyncLevel, 3> kSyncLevels = {"a sync level", {"none", "batch", "every"}};
constexpr EnumNames<TunerPlace, 3> kTunerPlaces = {"a place for the tuner",
                                                   {"local-search", "in-process", "process"}};
constexpr EnumNames<bool, 2> kSwitch = {"a switch", {"0", "1"}};

// Far above what one matmul can use; more is a slip of the finger.
constexpr int32_t kMostThreads = 1024;

Status assign_mode(Settings& settings, std::string_view text) {
  settings.mode = TRIODE_TRY(kModes.parse(text));
  return {};
}

Status assign_forced_plans(Settings& settings, std::string_view text) {
  settings.force_plans = TRIODE_TRY(kForcedPlans.parse(text));
  return {};
}

Status assign_sync_level(Settings& settings, std::string_view text) {
  settings.cache_sync = TRIODE_TRY(kSyncLevels.parse(text));
  return {};
}

Status assign_tuner(Settings& settings, std::string_view text) {
  settings.tuner = TRIODE_TRY(kTunerPlaces.parse(text));
  return {};
}

Status assign_threads(Settings& settings, std::string_view text) {
  int32_t threads = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), threads);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  if (!is_number || threads < 0 || threads > kMostThreads) {
    return invalid_argument(in_quotes(text) + " is not a number of threads; expected 0 to " +
                            std::to_string(kMostThreads));
  }
  settings.threads = threads;
  return {};
}

template <bool Settings::*kField>
Status assign_switch(Settings& settings, std::string_view text) {
  settings.*kField = TRIODE_TRY(kSwitch.parse(text));
  return {};
}

template <std::string Settings::*kField>
Status assign_path(Settings& settings, std::string_view text) {
  if (text.empty()) return invalid_argument("\"\" is not a path; expected any other text");
  settings.*kField = text;
  return {};
}

// The one place where a setting is declared.
constexpr std::array<SettingRow, 11> kRows = {{
    {.variable = "TRIODE_MODE",
     .option = "--mode",
     .value = "off|observe|tune|frozen",
     .assign = assign_mode},
    {.variable = "TRIODE_CACHE",
     .option = "--cache",
     .value = "FOLDER",
     .is_path = true,
     .assign = assign_path<&Settings::cache>},
    {.variable = "TRIODE_PLANS",
     .option = "--plans",
     .value = "FILE",
     .is_path = true,
     .assign = assign_path<&Settings::plans>},
    {.variable = "TRIODE_REPORT",
     .option = "--report",
     .value = "0|1",
     .is_flag = true,
     .assign = assign_switch<&Settings::report>},
    {.variable = "TRIODE_REPORT_JSON",
     .option = "--json",
     .value = "0|1",
     .is_flag = true,
     .assign = assign_switch<&Settings::report_json>},
    {.variable = "TRIODE_REPORT_FILE",
     .option = "--report-file",
     .value = "FILE",
     .is_path = true,
     .assign = assign_path<&Settings::report_file>},
    {.variable = "TRIODE_THREADS",
     .option = "--threads",
     .value = "0..1024",
     .assign = assign_threads},
    {.variable = "TRIODE_FORCE_PLANS",
     .option = "--force-plans",
     .value = "off|first|random",
     .assign = assign_forced_plans},
    {.variable = "TRIODE_CACHE_SYNC",
     .option = "--cache-sync",
     .value = "none|batch|every",
     .assign = assign_sync_level},
    {.variable = "TRIODE_TUNER",
     .option = "--tuner",
     .value = "local-search|in-process|process",
     .assign = assign_tuner},
    {.variable = "TRIODE_TRUST_MODEL",
     .option = "--trust-model",
     .value = "0|1",
     .is_flag = true,
     .assign = assign_switch<&Settings::trust_model>},
}};

}  // namespace

std::span<const SettingRow> setting_rows() {
  return kRows;
}

std::optional<std::string> environment_variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

Result<Settings> read_settings(const VariableLookup& lookup) {
  Settings settings;
  for (const SettingRow& row : kRows) {
    const std::string name(row.variable);
    const std::optional<std::string> text = lookup(name);
    if (!text || text->empty()) continue;
    const Status assigned = row.assign(settings, *text);
    if (!assigned.ok()) return Status(assigned.code(), name + ": " + assigned.message());
  }
  settings.report = settings.report || settings.report_json || !settings.report_file.empty();
  return settings;
}

Result<Settings> read_settings_from_environment() {
  return read_settings(environment_variable);
}

Status check_settings(const Settings& settings) {
  if (settings.mode == Mode::kFrozen && settings.plans.empty()) {
    return invalid_argument(
        "mode frozen runs the plans of a file, and no file is named; give --plans FILE or set "
        "TRIODE_PLANS");
  }
  if (settings.mode == Mode::kFrozen && settings.force_plans != ForcedPlans::kOff) {
    return invalid_argument(
        "mode frozen runs the plans of a file and no others, and forced plans are others; leave "
        "out "
        "--mode frozen (TRIODE_MODE) or --force-plans (TRIODE_FORCE_PLANS)");
  }
  if (settings.trust_model && settings.tuner == TunerPlace::kLocalSearch) {
    return invalid_argument(
        "a local search has no model to trust; leave out --tuner local-search "
        "(TRIODE_TUNER) or --trust-model (TRIODE_TRUST_MODEL)");
  }
  return {};
}

std::string_view to_string(Mode mode) {
  return kModes.name_of(mode);
}

std::string_view to_string(SyncLevel level) {
  return kSyncLevels.name_of(level);
}

Result<Mode> parse_mode(std::string_view text) {
  return kModes.parse(text);
}

}  // namespace triode
