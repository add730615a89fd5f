// SPDX-License-Identifier: Apache-2.0
#include "tools/run/run_options.h"

#include <cstddef>
#include <optional>

#include "core/settings.h"
#include "run_help.h"
#include "tools/cli/nearest_word.h"

namespace triode::run {
namespace {

// "--mode=tune" in two; without '=' there is no value.
struct Option {
  std::string name;
  std::optional<std::string> value;
};

Option split_option(const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos) return {word, std::nullopt};
  return {word.substr(0, equals), word.substr(equals + 1)};
}

bool is_option(const std::string& word) {
  return word.size() > 1 && word[0] == '-';
}

// The field of an option that every command has; null for any other.
bool* standard_flag(const std::string& name, RunOptions& options) {
  if (name == "--help" || name == "-h") return &options.help;
  if (name == "--version") return &options.version;
  if (name == "--quiet") return &options.quiet;
  return nullptr;
}

const SettingRow* find_row(const std::string& name) {
  for (const SettingRow& row : setting_rows()) {
    if (row.option == name) return &row;
  }
  return nullptr;
}

Status unknown_option(const std::string& name) {
  std::vector<std::string> known = {"--help", "--version", "--quiet"};
  for (const SettingRow& row : setting_rows()) known.emplace_back(row.option);
  const auto near = cli::nearest_word(name, known);
  return invalid_argument("unknown option '" + name + "'" +
                          (near ? " (did you mean '" + *near + "'?)" : ""));
}

Status add_setting(const SettingRow& row, const std::string& value, RunOptions& options) {
  Settings scratch;
  const Status assigned = row.assign(scratch, value);
  const std::string name(row.option);
  if (!assigned.ok()) return Status(assigned.code(), name + ": " + assigned.message());
  options.variables.push_back({std::string(row.variable), value});
  if (name == "--json") options.json = true;
  return {};
}

// Reads the option at `position`, and its value if that is the next word. Returns where to go on.
Result<std::size_t> read_option(const std::vector<std::string>& words, std::size_t position,
                                RunOptions& options) {
  const Option option = split_option(words[position]);
  bool* const flag = standard_flag(option.name, options);
  const SettingRow* const row = find_row(option.name);
  if (flag == nullptr && row == nullptr) return unknown_option(option.name);
  if (row == nullptr || row->is_flag) {
    if (option.value) return invalid_argument(option.name + " takes no value");
    if (row != nullptr) TRIODE_TRY(add_setting(*row, "1", options));
    if (flag != nullptr) *flag = true;
    return position + 1;
  }
  if (option.value) {
    TRIODE_TRY(add_setting(*row, *option.value, options));
    return position + 1;
  }
  // A value that looks like an option is a forgotten one; a file by such a name is --plans=--name.
  if (position + 1 == words.size() || words[position + 1].starts_with("--")) {
    return invalid_argument(option.name + " needs a value: " + std::string(row->value));
  }
  TRIODE_TRY(add_setting(*row, words[position + 1], options));
  return position + 2;
}

}  // namespace

std::string_view help_text() {
  return help::kRunHelp;
}

Result<RunOptions> parse_run_options(const std::vector<std::string>& arguments) {
  RunOptions options;
  std::size_t next = 0;
  while (next < arguments.size() && is_option(arguments[next]) && arguments[next] != "--") {
    next = TRIODE_TRY(read_option(arguments, next, options));
  }
  if (next < arguments.size() && arguments[next] == "--") ++next;
  for (; next < arguments.size(); ++next) options.command.push_back(arguments[next]);
  if (options.command.empty() && !options.help && !options.version) {
    return invalid_argument("no program given, as in 'triode run python3 script.py'");
  }
  return options;
}

}  // namespace triode::run
