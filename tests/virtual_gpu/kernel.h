// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "core/status.h"
#include "tests/virtual_gpu/block_state.h"
#include "tests/virtual_gpu/fault.h"
#include "tests/virtual_gpu/launch_options.h"
#include "tests/virtual_gpu/program.h"
#include "tests/virtual_gpu/ptx_module.h"

namespace triode::vgpu {

struct LaunchReport {
  std::optional<Fault> fault;
  LaunchCounts counts;
};

// A PTX kernel that the virtual GPU can run. A test instrument: it shows whether a kernel computes
// the right thing within its bounds on an sm_80, and nothing about speed. mma adds in plain order
// of k, so its last bits are not those of a device.
class Kernel {
 public:
  // kNotFound if the module has no such entry; kInvalidArgument, with the line, if it uses what the
  // virtual GPU does not know.
  static Result<Kernel> prepare(const PtxModule& module, std::string_view entry);

  const Entry& entry() const { return entry_; }
  uint32_t static_shared_bytes() const { return program_.static_shared_bytes; }

  // Runs to the end or to the first fault. Blocks run one after another on the calling thread.
  LaunchReport launch(const DeviceMemory& memory, const LaunchOptions& options) const;

 private:
  Kernel(Entry entry, Program program);
  std::optional<Fault> check(const LaunchOptions& options) const;

  Entry entry_;
  Program program_;
};

}  // namespace triode::vgpu
