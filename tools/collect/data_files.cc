// SPDX-License-Identifier: Apache-2.0
#include "tools/collect/data_files.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace triode::collect {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 5> kExtensions = {".csv", ".json", ".msgpack", ".trials",
                                                         ".gz"};

}  // namespace

Result<std::vector<std::string>> data_files(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return std::vector{path};
  std::vector<std::string> files;
  for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
    const std::string extension = it->path().extension().string();
    std::error_code ignored;  // what cannot be looked at is no file to read
    if (it->is_regular_file(ignored) &&
        std::find(kExtensions.begin(), kExtensions.end(), extension) != kExtensions.end()) {
      files.push_back(it->path().string());
    }
  }
  if (error) return not_found("cannot list " + path + ": " + error.message());
  if (files.empty()) {
    return not_found("the folder " + path +
                     " holds no data file (.csv, .json, .msgpack, .trials, .gz); a cache is named "
                     "by --cache");
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace triode::collect
