// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/exit_code.h"

#include <iostream>

namespace triode::cli {

int complain(std::string_view command, const Status& status, int code, std::ostream& err) {
  err << "triode-" << command << ": " << status.message() << "\n";
  if (code == kWrongUsage) {
    err << "triode-" << command << ": see 'triode " << command << " --help'\n";
  }
  return code;
}

int complain(std::string_view command, const Status& status, int code) {
  return complain(command, status, code, std::cerr);
}

}  // namespace triode::cli
