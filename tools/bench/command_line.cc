// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/command_line.h"

#include <ostream>

#include "bench_help.h"
#include "triode_version.h"

namespace triode::bench {

std::string_view help_text() {
  return help::kBenchHelp;
}

void print_version(bool json, std::ostream& out) {
  if (json) {
    out << R"({"name": "triode-bench", "version": ")" << kVersion << "\"}\n";
  } else {
    out << "triode-bench " << kVersion << "\n";
  }
}

int complain(const Status& status, int code, std::ostream& err) {
  err << "triode-bench: " << status.message() << std::endl;
  if (code == kWrongUsage) err << "triode-bench: see 'triode bench --help'" << std::endl;
  return code;
}

}  // namespace triode::bench
