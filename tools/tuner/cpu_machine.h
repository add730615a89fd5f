// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "core/device.h"
#include "core/status.h"

namespace triode::tuner {

// The cpu as a program that may use so many cores sees it; 0: as this process does.
Result<std::unique_ptr<Device>> make_cpu_device(int32_t cores);

// This machine, as programs with different numbers of cores see it. Any thread.
class CpuMachine {
 public:
  // kUnsupported for a target that is not this machine.
  Result<Space> space_of(const Target& target, const Problem& problem);

  // See emit_digests(). Of a target that space_of() knew.
  std::vector<Result<uint64_t>> emit(const Target& target, const Problem& problem,
                                     std::span<const Config> configs, int threads);

 private:
  Result<Device*> device_of(const Target& target);

  std::mutex mutex_;                                    // guards what follows
  std::map<int32_t, std::unique_ptr<Device>> devices_;  // by cores; they stay
};

}  // namespace triode::tuner
