// SPDX-License-Identifier: Apache-2.0
// The program behind `triode run`. It becomes the program it runs, so that signals, exit codes and
// standard streams are that program's own.

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "core/settings.h"
#include "tools/cli/exit_code.h"
#include "tools/run/preload.h"
#include "tools/run/program_file.h"
#include "tools/run/program_variables.h"
#include "tools/run/run_options.h"
#include "triode_version.h"

namespace triode::run {
namespace {

using cli::kDone;
using cli::kFailed;
using cli::kWrongUsage;
// As shells have them.
constexpr int kCannotRun = 126;
constexpr int kNoProgram = 127;

void print(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

void complain(const std::string& text) {
  std::fprintf(stderr, "triode-run: %s\n", text.c_str());
}

int print_version(bool json) {
  const std::string version(kVersion);
  print(json ? "{\"name\": \"triode-run\", \"version\": \"" + version + "\"}\n"
             : "triode-run " + version + "\n");
  return kDone;
}

// Gives this process the environment that its program is to have.
Status prepare_environment(const RunOptions& options) {
  std::vector<Variable> variables =
      TRIODE_TRY(program_variables(options.variables, environment_variable));
  const std::string folder = TRIODE_TRY(own_folder());
  const std::string library = TRIODE_TRY(find_library(library_candidates(folder)));
  const std::string current = environment_variable("LD_PRELOAD").value_or("");
  variables.push_back({"LD_PRELOAD", TRIODE_TRY(preload_list(library, current))});
  for (const auto& [name, value] : variables) {
    if (setenv(name.c_str(), value.c_str(), 1) != 0) {
      return resource_exhausted("cannot set " + name + ": " + std::strerror(errno));
    }
  }
  return {};
}

// Becomes the program; returns the exit code if that failed.
int become(const std::string& file, std::vector<std::string> command) {
  std::vector<char*> argv;
  argv.reserve(command.size() + 1);
  for (std::string& word : command) argv.push_back(word.data());
  argv.push_back(nullptr);
  // The p is for files without #!, which a shell would run too; the path is known already.
  execvp(file.c_str(), argv.data());
  const int error = errno;
  complain("cannot run " + file + ": " + std::strerror(error) +
           (error == ENOENT ? "; the interpreter that it names is missing" : ""));
  return error == ENOENT ? kNoProgram : kCannotRun;
}

int start(const RunOptions& options) {
  if (const Status ready = prepare_environment(options); !ready.ok()) {
    complain(ready.message());
    return ready.code() == StatusCode::kInvalidArgument ? kWrongUsage : kFailed;
  }
  const auto file = find_program_file(options.command[0], environment_variable("PATH"));
  if (!file.ok()) {
    complain(file.status().message());
    return file.status().code() == StatusCode::kNotFound ? kNoProgram : kCannotRun;
  }
  const auto obstacle = obstacle_to_preload(*file, {.user = getuid(), .group = getgid()});
  if (obstacle && !options.quiet) {
    complain("warning: " + *file + " " + std::string(*obstacle) +
             ", so its matmuls cannot be intercepted; running it as it is");
  }
  return become(*file, options.command);
}

int run(const std::vector<std::string>& words) {
  const auto options = parse_run_options(words);
  if (!options.ok()) {
    complain(options.status().message() + "; see 'triode run --help'");
    return kWrongUsage;
  }
  if (options->version && !options->help) return print_version(options->json);
  if (!options->help) return start(*options);
  print(help_text());
  return kDone;
}

}  // namespace
}  // namespace triode::run

int main(int argc, char** argv) {
  const int code = triode::run::run({argv + (argc > 0 ? 1 : 0), argv + argc});
  // A full disk or a closed pipe shows only when the text leaves the buffer.
  if (std::fflush(stdout) != 0 && code == 0) return 1;
  return code;
}
