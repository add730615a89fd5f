// SPDX-License-Identifier: Apache-2.0
// The `triode` command. Like git, it does nothing itself but find the program of a subcommand and
// become it, so that it starts in a few milliseconds and only what needs libtorch or Python loads
// them.

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "tools/cli/exit_code.h"
#include "tools/cli/nearest_word.h"
#include "tools/cli/subcommands.h"
#include "triode_help.h"
#include "triode_version.h"

namespace triode::cli {
namespace {

void print(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

void complain(const std::string& text) {
  std::fprintf(stderr, "triode: %s\n", text.c_str());
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

// A file name may hold any byte but '/' and NUL.
std::string json_quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      quoted += escape;
      continue;
    }
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

int print_version(bool json) {
  const std::string version(kVersion);
  print(json ? "{\"name\": \"triode\", \"version\": \"" + version + "\"}\n"
             : "triode " + version + "\n");
  return kDone;
}

int print_help(bool json) {
  if (!json) {
    print(help::kTriodeHelp);
    return kDone;
  }
  std::string list;
  for (const std::string& command : list_commands(search_folders())) {
    list += (list.empty() ? "" : ", ") + json_quoted(command);
  }
  print("{\"commands\": [" + list + "]}\n");
  return kDone;
}

// A build has these where torch is there for it.
bool needs_torch(std::string_view command) {
  return command == "train" || command == "eval";
}

int explain_unknown(const std::string& command, const std::vector<std::string>& folders) {
  if (needs_torch(command)) {
    complain("'" + command +
             "' needs torch, which was not there when this Triode was built; install torch and "
             "build again (tools/setup, or `pip install .` in Triode's sources).");
    return kFailed;
  }
  const std::vector<std::string> commands = list_commands(folders);
  complain("'" + command + "' is not a command.");
  if (const auto near = nearest_word(command, commands)) {
    complain("did you mean '" + *near + "'?");
  }
  complain(commands.empty() ? "no command is installed beside this program; build them first."
                            : "commands: " + joined(commands));
  return kWrongUsage;
}

// Becomes `triode-<command>`; returns only if that failed.
int become(const std::string& command, std::vector<std::string> arguments) {
  const std::vector<std::string> folders = search_folders();
  const auto program =
      command.find('/') == std::string::npos ? find_program(command, folders) : std::nullopt;
  if (!program) return explain_unknown(command, folders);
  std::vector<char*> argv;
  std::string name = *program;
  argv.push_back(name.data());
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  execv(program->c_str(), argv.data());
  complain("cannot run " + *program + ": " + std::strerror(errno) + ".");
  return kFailed;
}

int help_about(const std::vector<std::string>& commands) {
  if (commands.empty()) return print_help(false);
  if (commands.size() == 1) return become(commands[0], {"--help"});
  complain("help takes one command, as in 'triode help " + commands[0] + "'.");
  return kWrongUsage;
}

// `triode` with options of its own only, no command.
int answer_options(const std::vector<std::string>& options) {
  bool version = false;
  bool json = false;
  bool asked = false;
  for (const std::string& option : options) {
    if (option == "--json") {
      json = true;
    } else if (option == "--version" || option == "--help" || option == "-h") {
      version = option == "--version";
      asked = true;
    } else if (option != "--quiet") {
      complain("unknown option '" + option + "'; see 'triode --help'.");
      return kWrongUsage;
    }
  }
  if (!asked) {
    complain("no command given; see 'triode --help'.");
    return kWrongUsage;
  }
  return version ? print_version(json) : print_help(json);
}

int run(const std::vector<std::string>& words) {
  if (words.empty() || words[0].starts_with('-')) return answer_options(words);
  const std::vector<std::string> rest(words.begin() + 1, words.end());
  return words[0] == "help" ? help_about(rest) : become(words[0], rest);
}

}  // namespace
}  // namespace triode::cli

int main(int argc, char** argv) {
  const int code =
      triode::cli::run(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
  // A full disk or a closed pipe shows only when the text leaves the buffer.
  if (std::fflush(stdout) != 0 && code == 0) return 1;
  return code;
}
