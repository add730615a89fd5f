// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/exit_code.h"

#include <iostream>

namespace triode::cli {

int complain(std::string_view command, const Status& status, int code) {
  std::cerr << "triode-" << command << ": " << status.message() << "\n";
  if (code == kWrongUsage) {
    std::cerr << "triode-" << command << ": see 'triode " << command << " --help'\n";
  }
  return code;
}

}  // namespace triode::cli
