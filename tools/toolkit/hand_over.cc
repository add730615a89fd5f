// SPDX-License-Identifier: Apache-2.0
#include "tools/toolkit/hand_over.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace triode::toolkit {

bool has_option(std::span<const std::string> arguments, std::span<const std::string_view> options) {
  return std::ranges::any_of(arguments, [&](const std::string& argument) {
    const std::string_view name = std::string_view(argument).substr(0, argument.find('='));
    return std::ranges::find(options, name) != options.end();
  });
}

Status become_toolkit(std::string_view mode, const std::vector<std::string>& arguments) {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string program = (self.parent_path() / "triode-toolkit").string();
  std::vector<std::string> words = {program, std::string(mode)};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  execv(program.c_str(), argv.data());
  return unavailable("diode's options are those of " + program + ", which does not run: " +
                     std::strerror(errno) + "; build Triode with Python (tools/setup)");
}

}  // namespace triode::toolkit
