// SPDX-License-Identifier: Apache-2.0
#include "tools/cache/this_machine.h"

#include "runtime/device/cpu_device.h"

namespace triode::cache_tool {

Asker this_machine() {
  const auto device = CpuDevice::create();
  // A processor that Triode makes no code for has no answers, only priors.
  if (!device.ok()) return {};
  const Target& target = (*device)->target();
  return {device_of(target), validity_of(target)};
}

std::string why_no_answer(const Asker& asker, const std::string& device, const Validity& validity) {
  if (device != asker.device) return "another device";
  return why_prior(validity, asker.validity);
}

}  // namespace triode::cache_tool
