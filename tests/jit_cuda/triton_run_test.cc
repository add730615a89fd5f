// SPDX-License-Identifier: Apache-2.0
// Our Triton matmul, compiled by the real Triton and executed on the virtual GPU, against the
// reference. A compile takes about a second, so few are made.
#include <gtest/gtest.h>

#include <cstring>
#include <regex>
#include <string>
#include <vector>

#include "core/random.h"
#include "jit/cuda/triton_pool.h"
#include "jit/cuda/triton_space.h"
#include "tests/jit/test_length.h"
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
  bool copies_vectors;
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
  // What was promised of pointers and sizes is what lets Triton copy whole vectors.
  EXPECT_EQ(kernel->ptx.find("cp.async.cg") != std::string::npos, GetParam().copies_vectors);
  const double beta = problem->beta == ScalarClass::kZero ? 0 : 2;
  for (const uint64_t seed : {0, 5}) {
    const auto wrong = try_kernel(*kernel, *problem, *config, beta, seed);
    EXPECT_FALSE(wrong) << "seed " << seed << ": " << *wrong;
  }
}

constexpr const char* kSmall =
    "block_m=32 block_n=32 block_k=32 group_m=4 num_stages=3 num_warps=2";

// Divisible by 16 and not, k a multiple of the block and not, all transposes, and f16, bf16 and
// f32.
INSTANTIATE_TEST_SUITE_P(
    Kernels, TritonRun,
    ::testing::Values(Case{"f16_nn_aligned", true, "mm f16 80x96x112 nn", kSmall},
                      Case{"f16_tn_aligned", true, "mm f16 80x96x64 tn", kSmall},
                      Case{"f16_nt_odd", false, "mm f16 33x70x45 nt", kSmall},
                      Case{"f16_tt_odd", false, "mm f16 31x1x17 tt beta=other", kSmall},
                      Case{"bf16_nn_odd", false, "mm bf16 65x33x77 nn", kSmall},
                      Case{"f16_wide", true, "mm f16 100x72x96 nn ld=96,80,77",
                           "block_m=64 block_n=64 block_k=32 group_m=8 num_stages=4 num_warps=4"},
                      Case{"f32_nt", false, "mm f32 33x20x24 nt",
                           "block_m=16 block_n=16 block_k=16 group_m=1 num_stages=2 num_warps=2"}),
    [](const auto& one) { return one.param.name; });

TEST(TritonSpace, HoldsConfigsThatCompute) {
  Random random(9);
  for (int i = 0; i < scaled_count(1); ++i) {
    const auto size = [&](uint64_t most) { return static_cast<int64_t>(1 + random.below(most)); };
    const DType type = random.below(2) == 0 ? DType::kF16 : DType::kBF16;
    const Problem problem = Problem::mm(type, size(150), size(150), size(100), random.below(2) == 0,
                                        random.below(2) == 0);
    const auto space = triton_space(problem, {});
    ASSERT_TRUE(space.ok()) << space.status().to_string();
    const auto config = space->sample(random);
    ASSERT_TRUE(config);
    const auto kernel = pool().compile(problem, *config, "sm_80");
    ASSERT_TRUE(kernel.ok()) << kernel.status().to_string();
    const auto wrong = try_kernel(*kernel, problem, *config, 0, 1 + random.below(1000));
    EXPECT_FALSE(wrong) << to_string(problem) << ", " << space->to_string(*config) << ": "
                        << *wrong;
  }
}

TEST(BrokenTritonKernels, AreCaught) {
  const Problem problem = Problem::mm(DType::kF16, 80, 96, 112);
  const auto space = triton_space(problem, {});
  ASSERT_TRUE(space.ok());
  const auto config = space->parse(kSmall);
  ASSERT_TRUE(config.ok());
  const auto kernel = pool().compile(problem, *config, "sm_80");
  ASSERT_TRUE(kernel.ok()) << kernel.status().to_string();
  for (const char* dropped : {"bar\\.sync[^;]*;", "cp\\.async\\.wait_group[^;]*;"}) {
    TritonKernel broken = *kernel;
    broken.ptx = std::regex_replace(kernel->ptx, std::regex(dropped), "");
    ASSERT_NE(broken.ptx, kernel->ptx);
    EXPECT_TRUE(try_kernel(broken, problem, *config, 0, 0)) << dropped;
  }
}

// What the virtual GPU cannot run is at least assembled.
TEST(TritonKernels, AreAssembledForLaterDevices) {
  const Problem problem = Problem::mm(DType::kF16, 256, 256, 256);
  const auto space = triton_space(problem, {});
  ASSERT_TRUE(space.ok());
  const auto config = space->parse(kSmall);
  ASSERT_TRUE(config.ok());
  for (const char* arch : {"sm_90", "sm_100"}) {
    const auto kernel = pool().compile(problem, *config, arch);
    ASSERT_TRUE(kernel.ok()) << kernel.status().to_string();
    EXPECT_EQ(kernel->cubin.substr(0, 4), "\177ELF");
    EXPECT_NE(kernel->ptx.find(std::string(".target ") + arch), std::string::npos);
  }
}

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
