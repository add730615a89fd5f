// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/compiled_kernels.h"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "jit/cuda/nvrtc_gemm.h"
#include "jit/cuda/nvrtc_gemm_space.h"
#include "runtime/device/cuda_target.h"

namespace triode {
namespace {

#define TRIODE_OFFSET(Struct, member) static_cast<uint32_t>(offsetof(Struct, member))

template <typename Arguments>
std::string bytes_of(const Arguments& arguments) {
  std::string bytes(sizeof arguments, '\0');
  std::memcpy(bytes.data(), &arguments, sizeof arguments);
  return bytes;
}

// What of a call a parameter stands for; empty for what the problem says.
std::optional<CallValue> call_value_of(cuda::TritonRole role) {
  switch (role) {
    case cuda::TritonRole::kA:
      return CallValue::kA;
    case cuda::TritonRole::kB:
      return CallValue::kB;
    case cuda::TritonRole::kC:
      return CallValue::kC;
    case cuda::TritonRole::kBias:
      return CallValue::kBias;
    case cuda::TritonRole::kAlpha:
      return CallValue::kAlphaF32;
    case cuda::TritonRole::kBeta:
      return CallValue::kBetaF32;
    default:
      return std::nullopt;
  }
}

CudaLaunch launch_of(const Problem& problem, const cuda::BlockLimits& limits,
                     cuda::TritonFunction function, const cuda::TritonValues& fixed) {
  CudaLaunch launch;
  launch.grid_x = cuda::triton_grid(function, problem, limits);
  launch.threads = function.threads;
  launch.shared_bytes = function.shared_bytes;
  const std::vector<std::byte> bytes = cuda::triton_parameters(function, problem, fixed);
  launch.parameters.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (const cuda::TritonParameter& parameter : function.parameters) {
    launch.offsets.push_back(parameter.offset);
    const auto value = call_value_of(parameter.role);
    if (value) launch.patches.push_back({*value, parameter.offset});
  }
  launch.ptx = std::move(function.ptx);
  launch.cubin = std::move(function.cubin);
  launch.entry = std::move(function.entry);
  return launch;
}

}  // namespace

CudaProgram triton_program(const Problem& problem, const cuda::BlockLimits& limits,
                           cuda::TritonKernel kernel, const cuda::TritonValues& fixed) {
  CudaProgram program{std::move(kernel.toolchain), {}};
  for (cuda::TritonFunction& function : kernel.functions) {
    program.launches.push_back(launch_of(problem, limits, std::move(function), fixed));
  }
  return program;
}

Result<CudaProgram> compile_nvrtc_program(const cuda::NvrtcCompiler& nvrtc, const std::string& isa,
                                          const Problem& problem, const Config& config) {
  const cuda::NvrtcGemmConfig choice = cuda::nvrtc_gemm_config(config);
  const cuda::NvrtcGemmLaunch shape = TRIODE_TRY(cuda::nvrtc_gemm_launch(problem, choice));
  CudaLaunch launch;
  const cuda::CudaSource source = cuda::nvrtc_gemm_source(problem, choice);
  launch.ptx = TRIODE_TRY(nvrtc.compile(source, isa, cuda::CodeKind::kPtx));
  // A driver that is older than NVRTC refuses its PTX, and takes machine code.
  launch.cubin = TRIODE_TRY(nvrtc.compile(source, isa, cuda::CodeKind::kCubin));
  launch.entry = cuda::kNvrtcGemmEntry;
  launch.grid_x = shape.grid[0];
  launch.grid_y = shape.grid[1];
  launch.grid_z = shape.grid[2];
  launch.threads = shape.threads;
  launch.shared_bytes = shape.dynamic_shared_bytes;
  launch.parameters = bytes_of(cuda::nvrtc_gemm_arguments(problem));
  launch.offsets = {0};  // one struct, by value
#define X(member) TRIODE_OFFSET(cuda::NvrtcGemmArguments, member)
  launch.patches = {{CallValue::kA, X(a)},
                    {CallValue::kB, X(b)},
                    {CallValue::kC, X(c)},
                    {CallValue::kAlphaF64, X(alpha)},
                    {CallValue::kBetaF64, X(beta)}};
#undef X
  return CudaProgram{nvrtc_toolchain(nvrtc), {std::move(launch)}};
}

std::string nvrtc_toolchain(const cuda::NvrtcCompiler& nvrtc) {
  return "nvrtc " + nvrtc.version() + " source " + std::to_string(cuda::kNvrtcGemmVersion);
}

cuda::BlockLimits block_limits_of(const Target& target) {
  cuda::BlockLimits limits;
  limits.smem_bytes = most_shared_bytes(target.isa);
  limits.capability = std::atoi(target.isa.substr(std::strlen("sm_")).c_str());
  limits.resident_threads = most_resident_threads(target.isa);
  limits.multiprocessors = target.cores;
  return limits;
}

}  // namespace triode
