// SPDX-License-Identifier: Apache-2.0
// What compiled kernels take of a gpu, against the rules that judge a config before it is compiled.
// None of these is executed: cubins of sm_90 and sm_100 cannot be.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <string>

#include "jit/cuda/triton_space.h"
#include "tests/jit_cuda/triton_on_virtual_gpu.h"

namespace triode::cuda {
namespace {

namespace fs = std::filesystem;

BlockLimits limits_of(int32_t capability) {
  BlockLimits limits;  // an A100's
  limits.capability = capability;
  if (capability >= 90) limits.smem_bytes = 232448;
  return limits;
}

Config config_of(const TritonConfig& choice) {
  const std::array<int, 9> values = {choice.block_m, choice.block_n,       choice.block_k,
                                     choice.group_m, choice.stages,        choice.warps,
                                     choice.split_k, choice.is_persistent, choice.uses_tma};
  Config config(values.size());
  for (size_t i = 0; i < values.size(); ++i) config[i] = values[i];
  return config;
}

// Compiled whether it is legal or not.
Result<TritonKernel> compile(const Problem& problem, const TritonConfig& choice,
                             int32_t capability) {
  return shared_triton_pool().compile(problem, config_of(choice),
                                      "sm_" + std::to_string(capability));
}

std::optional<std::string> why_illegal(const Problem& problem, const TritonConfig& choice,
                                       int32_t capability) {
  const auto space = triton_space(problem, limits_of(capability));
  if (!space.ok()) return space.status().to_string();
  return space->why_illegal(config_of(choice));
}

// What NVIDIA's own tool says of a cubin, where Triton brings it.
std::string resource_usage(const std::string& cubin) {
  const fs::path file =
      fs::temp_directory_path() / ("triode_" + std::to_string(getpid()) + ".cubin");
  std::ofstream(file, std::ios::binary) << cubin;
  const std::string command =
      std::string(TRIODE_CUOBJDUMP) + " -res-usage " + file.string() + " 2>&1";
  std::string text;
  std::array<char, 256> line;
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  while (pipe != nullptr && fgets(line.data(), line.size(), pipe.get()) != nullptr) {
    text += line.data();
  }
  fs::remove(file);
  return text;
}

// That our reading of the cubin is the tool's.
void expect_tool_agrees(const TritonFunction& function) {
  if (!fs::exists(TRIODE_CUOBJDUMP)) return;
  EXPECT_NE(resource_usage(function.cubin)
                .find("REG:" + std::to_string(function.registers) +
                      " STACK:" + std::to_string(function.spill_bytes) + " "),
            std::string::npos)
      << function.registers << " registers, " << function.spill_bytes << " bytes spilled";
}

Problem large(DType type) {
  Problem problem = Problem::mm(type, 4096, 4096, 4096);
  if (type == DType::kF8E4M3) problem.c_type = DType::kBF16;
  return problem;
}

struct ResourceCase {
  int32_t capability;
  DType type;
  TritonConfig choice;
};

// As many at a time as the pool has workers.
std::vector<Result<TritonKernel>> compile_all(const std::vector<ResourceCase>& cases) {
  std::vector<std::future<Result<TritonKernel>>> running;
  for (const ResourceCase& each : cases) {
    running.push_back(std::async(std::launch::async, [&each] {
      return compile(large(each.type), each.choice, each.capability);
    }));
  }
  std::vector<Result<TritonKernel>> kernels;
  for (auto& one : running) kernels.push_back(one.get());
  return kernels;
}

// Multiplied from registers, from shared memory, and into tensor memory.
const std::vector<ResourceCase> kFitting = {
    {80, DType::kF16, {128, 128, 32, 8, 4, 4}},
    {80, DType::kTF32, {64, 128, 32, 8, 3, 4}},
    {90, DType::kF16, {128, 128, 64, 8, 4, 8}},
    {90, DType::kBF16, {128, 256, 64, 8, 4, 8, 1, true, true}},
    {90, DType::kF16, {32, 64, 64, 8, 4, 4}},
    {90, DType::kF8E4M3, {128, 128, 64, 8, 4, 8, 1, true, true}},
    {100, DType::kF16, {128, 256, 64, 8, 4, 4, 1, true, true}},
    {100, DType::kF16, {128, 128, 64, 8, 3, 16}},
    {100, DType::kF8E4M3, {128, 128, 128, 8, 4, 8}},
};

TEST(TritonRules, FollowWhatCompiledKernelsTake) {
  constexpr int64_t kBarrierBytes = 256;
  const auto kernels = compile_all(kFitting);
  for (size_t i = 0; i < kFitting.size(); ++i) {
    const ResourceCase& each = kFitting[i];
    const Problem problem = large(each.type);
    const auto illegal = why_illegal(problem, each.choice, each.capability);
    ASSERT_FALSE(illegal) << *illegal;
    ASSERT_TRUE(kernels[i].ok()) << kernels[i].status().to_string();
    const TritonFunction& function = kernels[i]->functions[0];
    SCOPED_TRACE("sm_" + std::to_string(each.capability) + " " + std::string(to_string(each.type)) +
                 " " + std::to_string(each.choice.block_n));
    const int64_t expected = triton_smem_bytes(each.choice, problem, each.capability);
    EXPECT_GE(function.shared_bytes, expected);
    EXPECT_LE(function.shared_bytes, expected + kBarrierBytes);
    EXPECT_LE(function.shared_bytes, limits_of(each.capability).smem_bytes);
    EXPECT_LE(int64_t{function.registers} * function.threads, limits_of(each.capability).registers);
    EXPECT_EQ(function.spill_bytes, 0u);
    expect_tool_agrees(function);
    EXPECT_EQ(function.scratch_bytes != 0, each.choice.uses_tma);
    EXPECT_NE(function.ptx.find(".target sm_" + std::to_string(each.capability)),
              std::string::npos);
    EXPECT_EQ(function.ptx.find("cp.async.bulk.tensor") != std::string::npos, each.choice.uses_tma);
  }
}

TEST(TritonRules, ForbidWhatCouldNotLaunch) {
  const std::vector<ResourceCase> too_large = {
      {80, DType::kF16, {64, 64, 128, 8, 7, 4}},  // 6 x 32 KiB
      {90, DType::kF16, {64, 64, 128, 8, 8, 4}},  // 8 x 32 KiB
      {100, DType::kF16, {64, 64, 128, 8, 8, 4}},
  };
  const auto kernels = compile_all(too_large);
  for (size_t i = 0; i < too_large.size(); ++i) {
    const ResourceCase& each = too_large[i];
    EXPECT_TRUE(why_illegal(large(each.type), each.choice, each.capability));
    ASSERT_TRUE(kernels[i].ok()) << kernels[i].status().to_string();
    EXPECT_GT(kernels[i]->functions[0].shared_bytes, limits_of(each.capability).smem_bytes);
  }
}

TEST(TritonRules, ForbidAccumulatorsThatExceedTheRegisters) {
  const TritonConfig choice = {128, 64, 16, 8, 2, 1};
  EXPECT_TRUE(why_illegal(large(DType::kF16), choice, 80));
  const auto kernel = compile(large(DType::kF16), choice, 80);
  ASSERT_TRUE(kernel.ok()) << kernel.status().to_string();
  EXPECT_GT(kernel->functions[0].spill_bytes, 0u);
  expect_tool_agrees(kernel->functions[0]);
}

}  // namespace
}  // namespace triode::cuda
