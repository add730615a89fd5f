// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/status.h"

namespace triode::bench {

// A folder of its own for files that are needed for a while; removed with all that is in it.
class ScratchFolder {
 public:
  // Below the system's folder for temporary files. kUnavailable if that cannot be written to.
  static Result<ScratchFolder> make();

  ScratchFolder(ScratchFolder&& other) noexcept;
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ~ScratchFolder();

  // A name in the folder.
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  explicit ScratchFolder(std::string path) : path_(std::move(path)) {}

  std::string path_;  // empty: moved from
};

}  // namespace triode::bench
