// SPDX-License-Identifier: Apache-2.0
// The program behind `triode model`.

#include <unistd.h>

#include <array>
#include <iostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model_help.h"
#include "runtime/model/shipped_models.h"
#include "tools/cache/cache_folder.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/help_and_version.h"
#include "tools/cli/nearest_word.h"
#include "tools/model/commands.h"

namespace triode::model_tool {
namespace {

using cache_tool::Arguments;

constexpr std::string_view kCommand = "model";

struct Command {
  std::string_view name;
  std::string_view option;  // that it takes besides those that all take; may be empty
  Status (*run)(const Arguments& arguments, const Context& context);
};

constexpr std::array kCommands = {Command{"ls", "", list_models}, Command{"show", "", show_model},
                                  Command{"promote", "--undo", promote_model},
                                  Command{"export", "--output", export_model}};

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
  if (!arguments.ok()) return cli::complain(kCommand, arguments.status(), cli::kWrongUsage);
  const Result<std::string> cache = cache_tool::store_path(*arguments);
  if (!cache.ok()) return cli::complain(kCommand, cache.status(), cli::kFailed);
  const Context context{*cache,
                        shipped_models_folder(),
                        arguments->has("--json"),
                        arguments->has("--quiet"),
                        cache_tool::Terminal::of(STDOUT_FILENO),
                        std::cout,
                        std::cerr};
  const Status status = command.run(*arguments, context);
  if (status.ok()) return cli::kDone;
  const bool is_usage = status.code() == StatusCode::kInvalidArgument;
  return cli::complain(kCommand, status, is_usage ? cli::kWrongUsage : cli::kFailed);
}

int run(const std::vector<std::string>& words) {
  if (const auto code =
          cli::answer_help_or_version(words, "triode-model", help::kModelHelp, std::cout)) {
    return *code;
  }
  const std::string name = words.empty() ? "" : words[0];
  for (const Command& command : kCommands) {
    if (command.name == name) return run_command(command, std::span(words).subspan(1));
  }
  return cli::complain(kCommand, unknown_command(name), cli::kWrongUsage);
}

}  // namespace
}  // namespace triode::model_tool

int main(int argc, char** argv) {
  const int code = triode::model_tool::run({argv + (argc > 0 ? 1 : 0), argv + argc});
  return triode::cli::exit_code_after_output(code, std::cout);
}
