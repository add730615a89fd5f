// SPDX-License-Identifier: Apache-2.0
#include "tools/run/program_variables.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>

namespace triode::run {
namespace {

namespace fs = std::filesystem;

VariableLookup laid_over(const std::vector<Variable>& given, const VariableLookup& environment) {
  return [&given, &environment](const std::string& name) {
    for (auto variable = given.rbegin(); variable != given.rend(); ++variable) {
      if (variable->name == name) return std::optional<std::string>(variable->value);
    }
    return environment(name);
  };
}

Result<std::string> absolute(const std::string& path) {
  std::error_code error;
  const fs::path full = fs::absolute(path, error);
  if (error) {
    return not_found("cannot tell where " + path + " is, for the current folder is gone (" +
                     error.message() + "); give a path that starts with /");
  }
  return full.string();
}

// Looks without opening: the file may be a pipe, which can be read once.
Status check_plans_file(const Settings& settings) {
  if (settings.mode != Mode::kFrozen) return {};
  std::error_code ignored;  // access() says why
  std::string reason;
  if (access(settings.plans.c_str(), R_OK) != 0) {
    reason = std::strerror(errno);
  } else if (fs::is_directory(settings.plans, ignored)) {
    reason = "it is a folder";
  }
  if (reason.empty()) return {};
  return not_found("cannot read the file of plans " + settings.plans + ": " + reason +
                   "; check --plans or TRIODE_PLANS");
}

}  // namespace

Result<std::vector<Variable>> program_variables(const std::vector<Variable>& given,
                                                const VariableLookup& environment) {
  const VariableLookup both = laid_over(given, environment);
  const Settings settings = TRIODE_TRY(read_settings(both));
  TRIODE_TRY(check_settings(settings));
  TRIODE_TRY(check_plans_file(settings));
  std::vector<Variable> variables;
  for (const SettingRow& row : setting_rows()) {
    const std::string name(row.variable);
    const std::optional<std::string> value = both(name);
    if (!value || value->empty()) continue;
    const std::string needed = row.is_path ? TRIODE_TRY(absolute(*value)) : *value;
    if (environment(name) != needed) variables.push_back({name, needed});
  }
  return variables;
}

}  // namespace triode::run
