// SPDX-License-Identifier: Apache-2.0
#include "tests/jit_cuda/gemm_on_virtual_gpu.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "tests/jit_cuda/gpu_product.h"
#include "tests/virtual_gpu/ptx_parser.h"

namespace triode::cuda {
namespace {

// Loaded once: the library is large, and lives as long as the process whatever is done.
const NvrtcCompiler& compiler() {
  static const NvrtcCompiler loaded = std::move(NvrtcCompiler::load()).take();
  return loaded;
}

uint64_t upload(vgpu::DeviceMemory& memory, const std::vector<std::byte>& bytes) {
  const uint64_t address = memory.allocate(bytes.size());
  if (!bytes.empty()) std::memcpy(memory.at(address, bytes.size()), bytes.data(), bytes.size());
  return address;
}

vgpu::LaunchOptions launch_options(const NvrtcGemmLaunch& launch,
                                   const NvrtcGemmArguments& arguments, const GemmTrial& trial) {
  vgpu::LaunchOptions options;
  options.grid = {launch.grid[0], launch.grid[1], launch.grid[2]};
  options.block.x = launch.threads;
  options.dynamic_shared_bytes =
      launch.dynamic_shared_bytes - static_cast<uint32_t>(trial.shared_bytes_less);
  options.parameters.resize(sizeof arguments);
  std::memcpy(options.parameters.data(), &arguments, sizeof arguments);
  options.scheduling_seed = trial.seed;
  return options;
}

}  // namespace

Result<std::string> gemm_ptx(const Problem& problem, const NvrtcGemmConfig& config) {
  return compiler().compile(nvrtc_gemm_source(problem, config), "sm_80", CodeKind::kPtx);
}

std::optional<std::string> try_gemm(const std::string& ptx, const Problem& problem,
                                    const NvrtcGemmConfig& config, const GemmTrial& trial) {
  const auto module = vgpu::parse_ptx(ptx);
  if (!module.ok()) return module.status().to_string();
  const auto kernel = vgpu::Kernel::prepare(*module, kNvrtcGemmEntry);
  if (!kernel.ok()) return kernel.status().to_string();
  const auto launch = nvrtc_gemm_launch(problem, config);
  if (!launch.ok()) return launch.status().to_string();

  const GpuProduct product(problem, trial.alpha, trial.beta, 1);
  vgpu::DeviceMemory memory;
  NvrtcGemmArguments arguments = nvrtc_gemm_arguments(problem);
  arguments.a = upload(memory, product.a());
  arguments.b = upload(memory, product.b());
  arguments.c = upload(memory, product.c());
  arguments.ldb += trial.ldb_more;
  arguments.alpha = trial.alpha;
  arguments.beta = trial.beta;
  const auto report = kernel->launch(memory, launch_options(*launch, arguments, trial));
  if (report.fault) return report.fault->message;
  const std::byte* c = memory.at(arguments.c, product.c().size());
  return product.find_mismatch(std::vector<std::byte>(c, c + product.c().size()));
}

}  // namespace triode::cuda
