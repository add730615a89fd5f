// SPDX-License-Identifier: Apache-2.0
// The program behind `triode model`.

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cache/cache_path.h"
#include "core/settings.h"
#include "model_help.h"
#include "runtime/model/shipped_models.h"
#include "tools/cli/nearest_word.h"
#include "tools/model/commands.h"
#include "triode_version.h"

namespace triode::model_tool {
namespace {

using cache_tool::Arguments;

constexpr int kDone = 0;
constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

struct Command {
  std::string_view name;
  std::string_view option;  // that it takes besides those that all take; may be empty
  Status (*run)(const Arguments& arguments, const Context& context);
};

constexpr std::array kCommands = {Command{"ls", "", list_models}, Command{"show", "", show_model},
                                  Command{"promote", "--undo", promote_model},
                                  Command{"export", "--output", export_model}};

int complain(const Status& status, bool is_usage) {
  std::cerr << "triode-model: " << status.message() << "\n";
  if (!is_usage) return kFailed;
  std::cerr << "triode-model: see 'triode model --help'\n";
  return kWrongUsage;
}

bool has(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Flag beats environment beats default.
Result<std::string> cache_of(const Arguments& arguments) {
  Settings settings = TRIODE_TRY(read_settings_from_environment());
  if (const auto folder = arguments.value("--cache")) settings.cache = *folder;
  return cache_path(settings, [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return value;
  });
}

Status unknown_command(const std::string& word) {
  std::vector<std::string> names;
  std::string list;
  for (const Command& command : kCommands) {
    names.emplace_back(command.name);
    list += (list.empty() ? "" : ", ") + names.back();
  }
  if (word.empty()) return invalid_argument("no command given; there are " + list);
  const auto nearest = cli::nearest_word(word, names);
  return invalid_argument("no command is called '" + word + "'; " +
                          (nearest ? "did you mean '" + *nearest + "'?" : "there are " + list));
}

int run_command(const Command& command, std::span<const std::string> words) {
  std::vector<std::string_view> options = {"--cache"};
  if (!command.option.empty()) options.push_back(command.option);
  const std::array<std::string_view, 2> flags = {"--json", "--quiet"};
  const Result<Arguments> arguments = Arguments::parse(words, options, flags);
  if (!arguments.ok()) return complain(arguments.status(), true);
  const Result<std::string> cache = cache_of(*arguments);
  if (!cache.ok()) return complain(cache.status(), false);
  const Context context{*cache,
                        shipped_models_folder(),
                        arguments->has("--json"),
                        arguments->has("--quiet"),
                        cache_tool::Terminal::of(STDOUT_FILENO),
                        std::cout,
                        std::cerr};
  const Status status = command.run(*arguments, context);
  if (status.ok()) return kDone;
  return complain(status, status.code() == StatusCode::kInvalidArgument);
}

int run(const std::vector<std::string>& words) {
  if (has(words, "--help") || has(words, "-h")) {
    std::cout << help::kModelHelp;
    return kDone;
  }
  if (has(words, "--version")) {
    if (has(words, "--json")) {
      std::cout << R"({"name": "triode-model", "version": ")" << kVersion << "\"}\n";
    } else {
      std::cout << "triode-model " << kVersion << "\n";
    }
    return kDone;
  }
  const std::string name = words.empty() ? "" : words[0];
  for (const Command& command : kCommands) {
    if (command.name == name) return run_command(command, std::span(words).subspan(1));
  }
  return complain(unknown_command(name), true);
}

}  // namespace
}  // namespace triode::model_tool

int main(int argc, char** argv) {
  const int code = triode::model_tool::run({argv + (argc > 0 ? 1 : 0), argv + argc});
  std::cout.flush();
  return code == 0 && !std::cout ? 1 : code;
}
