// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cuda_compiler.h"

#include <algorithm>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "jit/cuda/nvrtc_gemm_space.h"
#include "jit/cuda/triton_kernel.h"
#include "jit/cuda/triton_launch.h"
#include "jit/cuda/triton_space.h"
#include "runtime/device/compiled_kernels.h"

namespace triode {
namespace {

namespace fs = std::filesystem;

// Without the configs that need a workspace: where k is split, and tensor descriptors.
Result<Space> triton_space_without_workspace(const Target& target, const Problem& problem) {
  Space space = TRIODE_TRY(cuda::triton_space(problem, block_limits_of(target)));
  for (const auto& [name, wanted] : {std::pair{"split_k", 1}, std::pair{"tma", 0}}) {
    const std::optional<size_t> position = space.position_of(name);
    if (!position) continue;
    space.add_rule(
        "the kernel would want a workspace, which streams cannot share",
        [at = *position, value = wanted](const Config& config) { return config[at] == value; });
  }
  return space;
}

Result<CudaProgram> program_of(const Problem& problem, const cuda::BlockLimits& limits,
                               cuda::TritonKernel kernel) {
  if (cuda::triton_workspace_bytes(kernel, problem, limits) != 0) {
    return unsupported(
        "the kernel wants a workspace, which calls on different streams would share");
  }
  return triton_program(problem, limits, std::move(kernel));
}

// What is legal and does not compile is told by kUnsupported, as Device::build does.
Status as_refused(const Status& status) {
  return status.code() == StatusCode::kInvalidArgument ? unsupported(status.message()) : status;
}

fs::path first_there(std::initializer_list<fs::path> candidates) {
  for (const fs::path& path : candidates) {
    std::error_code ignored;
    if (!path.empty() && fs::exists(path, ignored)) return path;
  }
  return {};
}

// Of the environment whose package `triode` holds the program; empty if none does.
fs::path python_around(const fs::path& program) {
  const fs::path packages = program.parent_path().parent_path().parent_path();
  if (packages.filename() != "site-packages") return {};
  return packages.parent_path().parent_path().parent_path() / "bin" / "python";
}

}  // namespace

Result<std::shared_ptr<CudaCompiler>> CudaCompiler::create(const CudaCompilerOptions& options) {
  std::shared_ptr<CudaCompiler> compiler(new CudaCompiler);
  if (!options.python.empty() && !options.worker.empty()) {
    cuda::TritonPoolOptions pool;
    pool.tools = {options.python, options.worker};
    pool.workers = options.workers;
    compiler->triton_ = std::make_unique<cuda::TritonPool>(std::move(pool));
  }
  auto nvrtc = cuda::NvrtcCompiler::load(options.nvrtc);
  if (nvrtc.ok()) compiler->nvrtc_ = std::move(nvrtc).take();
  if (compiler->triton_ == nullptr && !compiler->nvrtc_) {
    return not_found(
        "nothing compiles for GPUs: no Python with Triton (TRIODE_PYTHON names one), and " +
        nvrtc.status().message());
  }
  return compiler;
}

bool CudaCompiler::takes_triton(const Target& target, const Problem& problem) const {
  // The kernels of 8-bit operands read a scale of each, which no call of a device brings.
  if (triton_ == nullptr || problem.a_type == DType::kF8E4M3) return false;
  return cuda::check_triton_problem(problem).ok() &&
         triton_space_without_workspace(target, problem).ok();
}

Result<Space> CudaCompiler::space_of(const Target& target, const Problem& problem) const {
  if (takes_triton(target, problem)) return triton_space_without_workspace(target, problem);
  if (nvrtc_) return cuda::nvrtc_gemm_space(problem, block_limits_of(target));
  return unsupported("no kernel of ours does \"" + to_string(problem) +
                     "\" on a GPU without NVRTC");
}

Result<std::string> CudaCompiler::toolchain(const Target& target, const Problem& problem) {
  if (takes_triton(target, problem)) return triton_->toolchain(target.isa);
  if (!nvrtc_) return unsupported("no kernel of ours does \"" + to_string(problem) + "\" here");
  return nvrtc_toolchain(*nvrtc_);
}

Result<CudaProgram> CudaCompiler::compile(const Target& target, const Problem& problem,
                                          const Config& config) {
  if (takes_triton(target, problem)) {
    auto kernel = triton_->compile(problem, config, target.isa);
    if (!kernel.ok()) return as_refused(kernel.status());
    return program_of(problem, block_limits_of(target), std::move(kernel).take());
  }
  if (!nvrtc_) return unsupported("no kernel of ours does \"" + to_string(problem) + "\" here");
  auto program = compile_nvrtc_program(*nvrtc_, target.isa, problem, config);
  return program.ok() ? std::move(program) : as_refused(program.status());
}

CudaCompilerOptions find_cuda_compilers() {
  const char* const named = std::getenv("TRIODE_PYTHON");
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  const fs::path script = "compile_worker.py";
  CudaCompilerOptions options;
  const bool is_named = named != nullptr && *named != '\0';
  options.python =
      is_named ? first_there({named}) : first_there({python_around(program), TRIODE_TRITON_PYTHON});
  options.worker =
      first_there({program.parent_path().parent_path() / "share/triode/triton" / script,
                   fs::path(TRIODE_TRITON_FOLDER) / script});
  if (options.python.empty() || options.worker.empty()) options.python = options.worker = "";
  return options;
}

}  // namespace triode
