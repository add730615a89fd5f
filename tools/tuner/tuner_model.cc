// SPDX-License-Identifier: Apache-2.0
#include "tools/tuner/tuner_model.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "learner/model/snapshot.h"

namespace triode::tuner {
namespace {

namespace fs = std::filesystem;

std::string shipped_file() {
  std::error_code ignored;  // an unreadable link leaves an empty path, under which nothing is found
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  const fs::path shipped =
      program.parent_path().parent_path() / "share" / "triode" / "snapshots" / "cpu-x86.snapshot";
  return fs::exists(shipped, ignored) ? shipped.string() : "";
}

}  // namespace

Result<std::shared_ptr<const CostModel>> load_tuner_model(const std::string& file_or_none) {
  const std::string file = file_or_none.empty() ? shipped_file() : file_or_none;
  if (file.empty() || file == "none") return std::shared_ptr<const CostModel>();
  Snapshot snapshot = TRIODE_TRY(load_snapshot(file));
  if (snapshot.kind != DeviceKind::kCpu) {
    return unsupported(file + " is a model of a gpu; the tuner ranks kernels of the cpu");
  }
  return std::make_shared<const CostModel>(TRIODE_TRY(CostModel::make(std::move(snapshot))));
}

}  // namespace triode::tuner
