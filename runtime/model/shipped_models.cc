// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/shipped_models.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace triode {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExtension = ".snapshot";

}  // namespace

std::string shipped_models_folder() {
  std::error_code ignored;  // an unreadable link leaves an empty path, under which nothing is found
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  return (program.parent_path().parent_path() / "share" / "triode" / "snapshots").string();
}

std::vector<std::string> shipped_models(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() == kExtension) paths.push_back(it->path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string_view shipped_name(DeviceKind kind) {
  return kind == DeviceKind::kCpu ? "cpu-x86" : "gpu";
}

std::string shipped_path(const std::string& folder, std::string_view name) {
  return (fs::path(folder) / (std::string(name) + std::string(kExtension))).string();
}

Result<Snapshot> find_snapshot(const std::string& path_or_name, const std::string& folder) {
  const bool is_path = path_or_name.find('/') != std::string::npos;
  const std::string shipped = shipped_path(folder, path_or_name);
  std::error_code ignored;  // what cannot be looked at is not there
  if (!is_path && fs::is_regular_file(shipped, ignored)) return load_snapshot(shipped);
  if (fs::is_regular_file(path_or_name, ignored)) return load_snapshot(path_or_name);
  return not_found(
      "no model '" + path_or_name + "': " +
      (is_path ? "there is no such file" : "neither that file nor " + shipped + " is there"));
}

}  // namespace triode
