// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <vector>

#include "jit/x86/gemm_space.h"
#include "runtime/device/cpu_device.h"

int main() {
  auto problem = triode::Problem::mm(triode::DType::kF32, 64, 512, 256);
  problem.alignment_bytes = 16;  // all that std::vector promises
  const std::vector<float> a(64 * 256, 1), b(256 * 512, 2);
  std::vector<float> c(64 * 512);

  const auto device = triode::CpuDevice::create();
  if (!device.ok()) return std::puts(device.status().to_string().c_str()), 1;
  const auto space = (*device)->enumerate(problem);
  const auto config = triode::x86::promising_configs(*space, problem).front();
  const auto artifact = (*device)->build(problem, config);
  if (!artifact.ok()) return std::puts(artifact.status().to_string().c_str()), 1;
  const auto status = (*device)->run(**artifact, {.a = a.data(), .b = b.data(), .c = c.data()});
  std::printf("%s: c[0] = %g by %s\n", status.to_string().c_str(), static_cast<double>(c[0]),
              space->to_string(config).c_str());
  return c[0] == 512 ? 0 : 1;
}
