// SPDX-License-Identifier: Apache-2.0
#include "tools/eval/shipped_model.h"

#include <filesystem>
#include <system_error>

namespace triode::eval_tool {
namespace {

namespace fs = std::filesystem;

fs::path shipped_folder() {
  std::error_code ignored;  // an unreadable link leaves an empty path, under which nothing is found
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  return program.parent_path().parent_path() / "share" / "triode" / "snapshots";
}

}  // namespace

Result<Snapshot> find_snapshot(const std::string& path_or_name) {
  std::error_code ignored;
  if (fs::exists(path_or_name, ignored)) return load_snapshot(path_or_name);
  const fs::path shipped = shipped_folder() / (path_or_name + ".snapshot");
  if (path_or_name.find('/') == std::string::npos && fs::exists(shipped, ignored)) {
    return load_snapshot(shipped.string());
  }
  return not_found("no model '" + path_or_name + "': neither that file nor " + shipped.string() +
                   " is there");
}

}  // namespace triode::eval_tool
