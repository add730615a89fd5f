// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

namespace triode {

// A folder of its own for a test, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  const std::filesystem::path& path() const { return path_; }

  // Writes a file below the folder, making the folders on the way.
  void write(const std::filesystem::path& relative, std::string_view text) const;

 private:
  std::filesystem::path path_;
};

}  // namespace triode
