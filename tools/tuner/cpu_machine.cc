// SPDX-License-Identifier: Apache-2.0
#include "tools/tuner/cpu_machine.h"

#include <utility>

#include "runtime/device/cpu_device.h"
#include "runtime/tuner/batch_emitter.h"

namespace triode::tuner {

Result<std::unique_ptr<Device>> make_cpu_device(int32_t cores) {
  CpuDeviceOptions options;
  options.cores = cores;
  return std::unique_ptr<Device>(TRIODE_TRY(CpuDevice::create(std::move(options))));
}

Result<Device*> CpuMachine::device_of(const Target& target) {
  const std::lock_guard lock(mutex_);
  auto& device = devices_[target.cores];
  if (device == nullptr) device = TRIODE_TRY(make_cpu_device(target.cores));
  if (device->target() != target) {
    return unsupported("the program sees another machine than its tuner: '" + target.fingerprint() +
                       "', not '" + device->target().fingerprint() + "'");
  }
  return device.get();
}

Result<Space> CpuMachine::space_of(const Target& target, const Problem& problem) {
  return TRIODE_TRY(device_of(target))->enumerate(problem);
}

std::vector<Result<uint64_t>> CpuMachine::emit(const Target& target, const Problem& problem,
                                               std::span<const Config> configs, int threads) {
  const Result<Device*> device = device_of(target);
  if (!device.ok()) return {};
  return emit_digests(**device, problem, configs, threads);
}

}  // namespace triode::tuner
