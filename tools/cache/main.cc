// SPDX-License-Identifier: Apache-2.0
// The program behind `triode cache`.

#include <unistd.h>

#include <array>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "cache_help.h"
#include "tools/cache/cache_folder.h"
#include "tools/cache/commands.h"
#include "tools/cli/help_and_version.h"
#include "tools/cli/nearest_word.h"

namespace triode::cache_tool {
namespace {

std::array<const Command*, 10> all_commands() {
  return {&ls_command(),      &show_command(),   &stats_command(),  &diff_command(),
          &export_command(),  &import_command(), &verify_command(), &prune_command(),
          &compact_command(), &path_command()};
}

Status unknown_command(const std::string& word) {
  std::vector<std::string> names;
  std::string list;
  for (const Command* command : all_commands()) {
    names.emplace_back(command->name);
    list += (list.empty() ? "" : ", ") + names.back();
  }
  const auto nearest = cli::nearest_word(word, names);
  if (word.empty()) return invalid_argument("no command given; there are " + list);
  return invalid_argument(
      "no command is called '" + word + "'; " +
      (nearest.has_value() ? "did you mean '" + *nearest + "'?" : "there are " + list));
}

int run_command(const Command& command, const std::vector<std::string>& words, Context& context) {
  std::vector<std::string_view> options(command.options.begin(), command.options.end());
  std::vector<std::string_view> flags(command.flags.begin(), command.flags.end());
  options.push_back("--cache");
  flags.insert(flags.end(), {"--json", "--quiet"});
  const Result<Arguments> arguments = Arguments::parse(words, options, flags);
  if (!arguments.ok()) return complain(context, arguments.status(), true);
  const Result<std::string> path = store_path(*arguments);
  if (!path.ok()) return complain(context, path.status());
  context.path = *path;
  context.json = arguments->has("--json");
  context.quiet = arguments->has("--quiet");
  return command.run(*arguments, context);
}

int run(const std::vector<std::string>& words) {
  Context context{
      "",        false,    false, Terminal::of(STDOUT_FILENO), Terminal::of(STDERR_FILENO),
      std::cout, std::cerr};
  if (const auto code =
          cli::answer_help_or_version(words, "triode-cache", help::kCacheHelp, std::cout)) {
    return *code;
  }
  const std::string name = words.empty() ? "" : words[0];
  for (const Command* command : all_commands()) {
    if (command->name == name)
      return run_command(*command, {words.begin() + 1, words.end()}, context);
  }
  return complain(context, unknown_command(name), true);
}

}  // namespace
}  // namespace triode::cache_tool

int main(int argc, char** argv) {
  const int code = triode::cache_tool::run({argv + (argc > 0 ? 1 : 0), argv + argc});
  return triode::cli::exit_code_after_output(code, std::cout);
}
