// SPDX-License-Identifier: Apache-2.0
// The program behind `triode tuner`, which is also the tuner itself and its trial workers.

#include <iostream>
#include <string>
#include <vector>

#include "tools/tuner/control_commands.h"
#include "tools/tuner/serve_command.h"
#include "tools/tuner/tuner_options.h"
#include "triode_version.h"
#include "tuner_help.h"

namespace triode::tuner {
namespace {

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

int report(const Status& status) {
  if (status.ok()) return 0;
  std::cerr << "triode-tuner: " << status.message() << '\n';
  return kFailed;
}

int print_version(bool json) {
  const std::string version(kVersion);
  std::cout << (json ? "{\"name\": \"triode-tuner\", \"version\": \"" + version + "\"}\n"
                     : "triode-tuner " + version + "\n");
  return 0;
}

int run(const std::vector<std::string>& words) {
  const auto options = parse_tuner_options(words);
  if (!options.ok()) {
    std::cerr << "triode-tuner: " << options.status().message() << "; see 'triode tuner --help'\n";
    return kWrongUsage;
  }
  switch (options->command) {
    case Command::kHelp:
      std::cout << help::kTunerHelp;
      return 0;
    case Command::kVersion:
      return print_version(options->json);
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
  std::cout.flush();
  return code == 0 && !std::cout ? 1 : code;
}
