// SPDX-License-Identifier: Apache-2.0
#include "tests/jit_cuda/triton_on_virtual_gpu.h"

#include <atomic>
#include <cstring>
#include <functional>
#include <thread>

#include "jit/cuda/triton_launch.h"
#include "tests/jit_cuda/gpu_product.h"
#include "tests/virtual_gpu/kernel.h"
#include "tests/virtual_gpu/ptx_parser.h"

namespace triode::cuda {
namespace {

constexpr int kWorkers = 2;

double scalar_of(ScalarClass scalar) {
  switch (scalar) {
    case ScalarClass::kZero:
      return 0;
    case ScalarClass::kOne:
      return 1;
    case ScalarClass::kMinusOne:
      return -1;
    default:
      return 0.5;
  }
}

double alpha_of(const Problem& problem, const TritonTrial& trial) {
  return trial.zero_alpha ? 0 : scalar_of(problem.alpha);
}
double beta_of(const Problem& problem, const TritonTrial& trial) {
  return trial.zero_beta ? 0 : scalar_of(problem.beta);
}

GpuProduct product_of(const Problem& problem, const TritonTrial& trial) {
  return GpuProduct(problem, alpha_of(problem, trial), beta_of(problem, trial), 3);
}

uint64_t upload(vgpu::DeviceMemory& memory, const std::vector<std::byte>& bytes) {
  const uint64_t address = memory.allocate(bytes.size());
  if (!bytes.empty()) std::memcpy(memory.at(address, bytes.size()), bytes.data(), bytes.size());
  return address;
}

TritonValues upload_operands(vgpu::DeviceMemory& memory, const GpuProduct& product,
                             const TritonKernel& kernel, const Problem& problem,
                             const TritonTrial& trial) {
  TritonValues values;
  // Memory that nothing was written to holds NaNs.
  values.a = trial.zero_alpha ? memory.allocate(product.a().size()) : upload(memory, product.a());
  values.b = upload(memory, product.b());
  values.c = upload(memory, product.c());
  values.bias = upload(memory, product.bias());
  values.workspace = memory.allocate(triton_workspace_bytes(kernel, problem, small_gpu()));
  values.alpha = static_cast<float>(alpha_of(problem, trial));
  values.beta = static_cast<float>(beta_of(problem, trial));
  return values;
}

Status launch(const TritonFunction& function, const Problem& problem, const TritonValues& values,
              const TritonTrial& trial, vgpu::DeviceMemory& memory) {
  const auto module = TRIODE_TRY(vgpu::parse_ptx(function.ptx));
  const auto kernel = TRIODE_TRY(vgpu::Kernel::prepare(module, function.entry));
  vgpu::LaunchOptions options;
  options.grid.x = triton_grid(function, problem, small_gpu());
  options.block.x = function.threads;
  options.dynamic_shared_bytes =
      function.shared_bytes - static_cast<uint32_t>(trial.shared_bytes_less);
  options.scheduling_seed = trial.seed;
  options.parameters = triton_parameters(function, problem, values);
  if (options.parameters.size() != kernel.entry().parameter_bytes) {
    return internal_error("the PTX has other parameters than the cubin");
  }
  const auto report = kernel.launch(memory, options);
  if (report.fault) return internal_error(report.fault->message);
  return {};
}

// On so many threads, each number once.
void for_each_in(size_t count, int threads, const std::function<void(size_t)>& visit) {
  std::atomic<size_t> next = 0;
  std::vector<std::jthread> running;
  for (int i = 0; i < threads; ++i) {
    running.emplace_back([&] {
      for (size_t at = next++; at < count; at = next++) visit(at);
    });
  }
}

}  // namespace

TritonPool& shared_triton_pool() {
  static TritonPool pool(TritonPoolOptions{{TRIODE_TRITON_PYTHON, TRIODE_TRITON_WORKER}, kWorkers});
  return pool;
}

BlockLimits small_gpu(int32_t capability) {
  BlockLimits limits;
  limits.capability = capability;
  limits.multiprocessors = 5;
  limits.resident_threads = 64;
  return limits;
}

Result<TritonKernel> compile_case(const TritonCase& each) {
  const int32_t capability = std::stoi(each.arch.substr(3));
  const Space space = TRIODE_TRY(triton_space(each.problem, small_gpu(capability)));
  const Config config = TRIODE_TRY(space.parse(each.config));
  return shared_triton_pool().compile(each.problem, config, each.arch);
}

std::vector<Result<TritonKernel>> compile_cases(const std::vector<TritonCase>& cases) {
  std::vector<Result<TritonKernel>> kernels(cases.size(), unavailable("not compiled"));
  for_each_in(cases.size(), kWorkers, [&](size_t at) { kernels[at] = compile_case(cases[at]); });
  return kernels;
}

std::vector<TriedCase> try_cases(const std::vector<TritonCase>& cases,
                                 const std::vector<uint64_t>& seeds) {
  std::vector<TriedCase> tried(cases.size(), {unavailable("not compiled"), {}});
  for_each_in(cases.size(), kWorkers + 1, [&](size_t at) {
    tried[at].kernel = compile_case(cases[at]);
    if (!tried[at].kernel.ok()) return;
    for (const uint64_t seed : seeds) {
      const TritonTrial trial{.seed = seed};
      tried[at].wrong.push_back(try_triton(*tried[at].kernel, cases[at].problem, trial));
    }
  });
  return tried;
}

Result<std::vector<std::byte>> run_triton(const TritonKernel& kernel, const Problem& problem,
                                          const TritonTrial& trial) {
  const GpuProduct product = product_of(problem, trial);
  vgpu::DeviceMemory memory;
  const TritonValues values = upload_operands(memory, product, kernel, problem, trial);
  for (const TritonFunction& function : kernel.functions) {
    TRIODE_TRY(launch(function, problem, values, trial, memory));
  }
  const std::byte* c = memory.at(values.c, product.c().size());
  return std::vector<std::byte>(c, c + product.c().size());
}

std::optional<std::string> try_triton(const TritonKernel& kernel, const Problem& problem,
                                      const TritonTrial& trial) {
  const auto c = run_triton(kernel, problem, trial);
  if (!c.ok()) return c.status().to_string();
  return product_of(problem, trial).find_mismatch(*c);
}

}  // namespace triode::cuda
