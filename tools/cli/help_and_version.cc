// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/help_and_version.h"

#include <algorithm>
#include <ostream>

#include "triode_version.h"

namespace triode::cli {

void print_version(std::string_view program, bool is_json, std::ostream& out) {
  if (is_json) {
    out << R"({"name": ")" << program << R"(", "version": ")" << kVersion << "\"}\n";
  } else {
    out << program << " " << kVersion << "\n";
  }
}

std::optional<int> answer_help_or_version(const std::vector<std::string>& words,
                                          std::string_view program, std::string_view help,
                                          std::ostream& out) {
  const auto has = [&](std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  if (has("--help") || has("-h")) {
    out << help;
    return 0;
  }
  if (!has("--version")) return std::nullopt;
  print_version(program, has("--json"), out);
  return 0;
}

int exit_code_after_output(int code, std::ostream& out) {
  out.flush();
  return code == 0 && !out ? 1 : code;
}

}  // namespace triode::cli
