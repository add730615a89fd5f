// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace triode::cli {

// Where a command's program is looked for: the folder of this executable, then those of PATH.
std::vector<std::string> search_folders();

// Path of the program `triode-<command>` in the first of `folders` that holds it.
std::optional<std::string> find_program(std::string_view command,
                                        const std::vector<std::string>& folders);

// Every command that `folders` offer, sorted, each once.
std::vector<std::string> list_commands(const std::vector<std::string>& folders);

}  // namespace triode::cli
