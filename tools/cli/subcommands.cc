// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/subcommands.h"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace triode::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "triode-";

bool is_program(const fs::path& path) {
  std::error_code ignored;  // what cannot be looked at cannot be run either
  return fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

void add_commands_of(const std::string& folder, std::vector<std::string>& commands) {
  std::error_code error;  // PATH often names folders that do not exist
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name.starts_with(kPrefix) && is_program(it->path())) {
      commands.push_back(name.substr(kPrefix.size()));
    }
  }
}

}  // namespace

std::vector<std::string> search_folders() {
  std::vector<std::string> folders;
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (!error) folders.push_back(self.parent_path().string());
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    if (end > 0) folders.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return folders;
}

std::optional<std::string> find_program(std::string_view command,
                                        const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    const fs::path path = fs::path(folder) / (std::string(kPrefix) + std::string(command));
    if (is_program(path)) return path.string();
  }
  return std::nullopt;
}

std::vector<std::string> list_commands(const std::vector<std::string>& folders) {
  std::vector<std::string> commands;
  for (const std::string& folder : folders) add_commands_of(folder, commands);
  std::sort(commands.begin(), commands.end());
  commands.erase(std::unique(commands.begin(), commands.end()), commands.end());
  return commands;
}

}  // namespace triode::cli
