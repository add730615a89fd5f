// SPDX-License-Identifier: Apache-2.0
#include "tools/run/preload.h"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <system_error>

namespace triode::run {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLibrary = "libtriode.so";

// The dynamic linker takes both, and neither can be escaped.
constexpr std::string_view kSeparators = " :";

}  // namespace

Result<std::string> own_folder() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) return not_found("cannot find libtriode.so: /proc/self/exe: " + error.message());
  return self.parent_path().string();
}

std::vector<std::string> library_candidates(const std::string& program_folder) {
  const fs::path folder = program_folder;
  return {(folder.parent_path() / "lib" / kLibrary).string(), (folder / kLibrary).string()};
}

Result<std::string> find_library(const std::vector<std::string>& candidates) {
  std::string tried;
  for (const std::string& path : candidates) {
    std::error_code ignored;  // what cannot be looked at cannot be loaded either
    if (fs::is_regular_file(path, ignored) && access(path.c_str(), R_OK) == 0) return path;
    tried += (tried.empty() ? "" : ", ") + path;
  }
  return not_found("cannot find " + std::string(kLibrary) + "; tried " + tried +
                   "; build Triode or install it");
}

Result<std::string> preload_list(const std::string& library, std::string_view current) {
  if (library.find_first_of(kSeparators) != std::string::npos) {
    return unsupported("LD_PRELOAD cannot name " + library +
                       ", whose path holds a space or a colon; move Triode to another folder");
  }
  std::vector<std::string> names = {library};
  while (!current.empty()) {
    const std::size_t end = std::min(current.find_first_of(kSeparators), current.size());
    const std::string name(current.substr(0, end));
    const bool is_new = std::find(names.begin(), names.end(), name) == names.end();
    if (!name.empty() && is_new) names.push_back(name);
    current.remove_prefix(std::min(end + 1, current.size()));
  }
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ":") + name;
  return list;
}

}  // namespace triode::run
