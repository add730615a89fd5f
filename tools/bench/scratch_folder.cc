// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/scratch_folder.h"

#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace triode::bench {

Result<ScratchFolder> ScratchFolder::make() {
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  if (error) return unavailable("no folder for temporary files; set TMPDIR: " + error.message());
  std::string pattern = (parent / "triode-bench-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) {
    return unavailable("cannot make " + pattern + ": " + std::strerror(errno) + "; set TMPDIR");
  }
  return ScratchFolder(std::move(pattern));
}

ScratchFolder::ScratchFolder(ScratchFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;  // what is left behind is the system's to clean
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace triode::bench
