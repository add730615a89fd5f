// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace triode::cli {

// What every program answers wherever it stands among its words: --help and -h with its text,
// --version with its name and version, as JSON beside --json. The exit code; empty if none of them
// is there.
std::optional<int> answer_help_or_version(const std::vector<std::string>& words,
                                          std::string_view program, std::string_view help,
                                          std::ostream& out);

// The answer to --version alone.
void print_version(std::string_view program, bool is_json, std::ostream& out);

// The exit code of a program that ends with `code`: 1 if what it printed could not be written.
int exit_code_after_output(int code, std::ostream& out);

}  // namespace triode::cli
