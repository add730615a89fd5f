// SPDX-License-Identifier: Apache-2.0
#include "tests/virtual_gpu/kernel.h"

#include <algorithm>
#include <string>
#include <utility>

#include "tests/virtual_gpu/block_runner.h"

namespace triode::vgpu {
namespace {

constexpr uint64_t kMostThreads = 1024;  // of a block

Fault bad_launch(std::string why) {
  return {FaultKind::kBadLaunch, std::move(why)};
}

}  // namespace

Kernel::Kernel(Entry entry, Program program)
    : entry_(std::move(entry)), program_(std::move(program)) {}

Result<Kernel> Kernel::prepare(const PtxModule& module, std::string_view entry) {
  const auto found = std::find_if(module.entries.begin(), module.entries.end(),
                                  [&](const Entry& each) { return each.name == entry; });
  if (found == module.entries.end()) {
    return not_found("the PTX has no entry \"" + std::string(entry) + "\"");
  }
  try {
    return Kernel(*found, build_program(module, *found));
  } catch (const PtxError& error) {
    return invalid_argument(error.what());
  }
}

std::optional<Fault> Kernel::check(const LaunchOptions& options) const {
  if (options.grid.count() == 0) return bad_launch("the grid is empty");
  const Dim3& block = options.block;
  if (block.count() == 0 || block.count() > kMostThreads) {
    return bad_launch("a block has from 1 to 1024 threads, not " + std::to_string(block.count()));
  }
  if (options.parameters.size() != entry_.parameter_bytes) {
    return bad_launch(std::to_string(options.parameters.size()) + " bytes of parameters, where " +
                      std::to_string(entry_.parameter_bytes) + " are needed");
  }
  const auto& required = entry_.required_threads;
  if (required[0] != 0 &&
      (required[0] != block.x || required[1] != block.y || required[2] != block.z)) {
    return bad_launch("the block is not the one that .reqntid requires");
  }
  if (entry_.most_threads != 0 && block.count() > entry_.most_threads) {
    return bad_launch("the block is larger than .maxntid allows");
  }
  return std::nullopt;
}

LaunchReport Kernel::launch(const DeviceMemory& memory, const LaunchOptions& options) const {
  LaunchReport report;
  report.fault = check(options);
  if (report.fault) return report;
  BlockRunner runner(program_, memory, options);
  try {
    for (uint64_t i = 0; i < options.grid.count(); ++i) runner.run(i);
  } catch (const Fault& fault) {
    report.fault = Fault{fault.kind, entry_.name + ": " + fault.message};
  }
  report.counts = runner.counts();
  return report;
}

}  // namespace triode::vgpu
