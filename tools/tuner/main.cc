// SPDX-License-Identifier: Apache-2.0
// The program behind `triode tuner`, which is also the tuner itself and its trial workers.

#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "tools/cli/exit_code.h"
#include "tools/cli/help_and_version.h"
#include "tools/tuner/control_commands.h"
#include "tools/tuner/serve_command.h"
#include "tools/tuner/tuner_options.h"
#include "tuner_help.h"

namespace triode::tuner {
namespace {

constexpr std::string_view kCommand = "tuner";

int report(const Status& status) {
  return status.ok() ? cli::kDone : cli::complain(kCommand, status, cli::kFailed);
}

int run(const std::vector<std::string>& words) {
  const auto options = parse_tuner_options(words);
  if (!options.ok()) return cli::complain(kCommand, options.status(), cli::kWrongUsage);
  switch (options->command) {
    case Command::kHelp:
      std::cout << help::kTunerHelp;
      return cli::kDone;
    case Command::kVersion:
      cli::print_version("triode-tuner", options->json, std::cout);
      return cli::kDone;
    case Command::kServe:
      return report(serve(*options));
    case Command::kWorker:
      return work();
    default:
      return report(control(*options, std::cout));
  }
}

}  // namespace
}  // namespace triode::tuner

int main(int argc, char** argv) {
  const int code = triode::tuner::run({argv + (argc > 0 ? 1 : 0), argv + argc});
  return triode::cli::exit_code_after_output(code, std::cout);
}
