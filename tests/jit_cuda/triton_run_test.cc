// SPDX-License-Identifier: Apache-2.0
// Our Triton matmul, compiled by the real Triton and executed on the virtual GPU, against the
// reference. A compile takes about a second, so few are made.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "jit/cuda/triton_pool.h"
#include "jit/cuda/triton_space.h"
#include "tests/jit_cuda/gpu_product.h"
#include "tests/virtual_gpu/kernel.h"
#include "tests/virtual_gpu/ptx_parser.h"

namespace triode::cuda {
namespace {

TritonPool& pool() {
  static TritonPool shared(TritonPoolOptions{{TRIODE_TRITON_PYTHON, TRIODE_TRITON_WORKER}});
  return shared;
}

uint64_t upload(vgpu::DeviceMemory& memory, const std::vector<std::byte>& bytes) {
  const uint64_t address = memory.allocate(bytes.size());
  if (!bytes.empty()) std::memcpy(memory.at(address, bytes.size()), bytes.data(), bytes.size());
  return address;
}

// Empty if the kernel computes `problem` rightly in this mode of the virtual GPU.
std::optional<std::string> try_kernel(const TritonKernel& compiled, const Problem& problem,
                                      const Config& config, double beta, uint64_t seed) {
  const auto module = vgpu::parse_ptx(compiled.ptx);
  if (!module.ok()) return module.status().to_string();
  const auto kernel = vgpu::Kernel::prepare(*module, compiled.entry);
  if (!kernel.ok()) return kernel.status().to_string();
  const GpuProduct product(problem, 0.5, beta, 3);
  vgpu::DeviceMemory memory;
  TritonArguments arguments = triton_arguments(problem);
  arguments.a = upload(memory, product.a());
  arguments.b = upload(memory, product.b());
  arguments.c = upload(memory, product.c());
  arguments.alpha = 0.5;
  arguments.beta = static_cast<float>(beta);
  vgpu::LaunchOptions options;
  options.grid.x = triton_grid(problem, config);
  options.block.x = compiled.threads;
  options.dynamic_shared_bytes = compiled.shared_bytes;
  options.scheduling_seed = seed;
  options.parameters.resize(kernel->entry().parameter_bytes);
  std::memcpy(options.parameters.data(), &arguments, options.parameters.size());
  const auto report = kernel->launch(memory, options);
  if (report.fault) return report.fault->message;
  const std::byte* c = memory.at(arguments.c, product.c().size());
  return product.find_mismatch(std::vector<std::byte>(c, c + product.c().size()));
}

struct Case {
  const char* name;
  const char* problem;
  const char* config;
};

class TritonRun : public ::testing::TestWithParam<Case> {};

TEST_P(TritonRun, MatchesTheReferenceInBothModes) {
  const auto problem = parse_problem(GetParam().problem);
  ASSERT_TRUE(problem.ok()) << problem.status().to_string();
  const auto space = triton_space(*problem, {});
  ASSERT_TRUE(space.ok()) << space.status().to_string();
  const auto config = space->parse(GetParam().config);
  ASSERT_TRUE(config.ok()) << config.status().to_string();
  const auto kernel = pool().compile(*problem, *config, "sm_80");
  ASSERT_TRUE(kernel.ok()) << kernel.status().to_string();
  EXPECT_EQ(kernel->cubin.substr(0, 4), "\177ELF");
  const double beta = problem->beta == ScalarClass::kZero ? 0 : 2;
  for (const uint64_t seed : {0, 5}) {
    const auto wrong = try_kernel(*kernel, *problem, *config, beta, seed);
    EXPECT_FALSE(wrong) << "seed " << seed << ": " << *wrong;
  }
}

constexpr const char* kSmall =
    "block_m=32 block_n=32 block_k=32 group_m=4 num_stages=3 num_warps=2";

// Divisible by 16 and not, k a multiple of the block and not, all transposes, all types of sm_80.
INSTANTIATE_TEST_SUITE_P(
    Kernels, TritonRun,
    ::testing::Values(Case{"f16_nn_aligned", "mm f16 80x96x112 nn", kSmall},
                      Case{"f16_tn_aligned", "mm f16 80x96x64 tn", kSmall},
                      Case{"f16_nt_odd", "mm f16 33x70x45 nt", kSmall},
                      Case{"f16_tt_odd", "mm f16 31x1x17 tt beta=other", kSmall},
                      Case{"bf16_nn_odd", "mm bf16 65x33x77 nn", kSmall},
                      Case{"f16_wide", "mm f16 100x72x96 nn ld=96,80,77",
                           "block_m=64 block_n=64 block_k=32 group_m=8 num_stages=4 num_warps=4"},
                      Case{"f32_nt", "mm f32 33x20x24 nt",
                           "block_m=16 block_n=16 block_k=16 group_m=1 num_stages=2 num_warps=2"}),
    [](const auto& one) { return one.param.name; });

TEST(TritonRefusal, ComesWithTritonsWords) {
  const Problem problem = Problem::mm(DType::kF16, 64, 64, 64);
  Config config(6);
  for (size_t i = 0; i < config.size(); ++i) config[i] = 3;  // not a power of two
  const auto kernel = pool().compile(problem, config, "sm_80");
  ASSERT_FALSE(kernel.ok());
  EXPECT_EQ(kernel.status().code(), StatusCode::kInvalidArgument) << kernel.status().to_string();
}

}  // namespace
}  // namespace triode::cuda
