// SPDX-License-Identifier: Apache-2.0
// Triton kernels that are broken on purpose, in their source and in their PTX: a pass on the
// virtual GPU means something only if these do not.
#include <gtest/gtest.h>

#include <cstdlib>
#include <regex>
#include <string>
#include <thread>

#include "jit/cuda/triton_answer.h"
#include "jit/cuda/triton_request.h"
#include "jit/cuda/triton_worker.h"
#include "tests/jit_cuda/triton_on_virtual_gpu.h"

namespace triode::cuda {
namespace {

constexpr const char* kTile =
    "block_m=32 block_n=32 block_k=32 num_stages=3 num_warps=2 group_m=1 ";

TritonCase plain_case() {
  return {Problem::mm(DType::kF16, 80, 96, 112),
          std::string(kTile) + "split_k=1 persistent=0 tma=0"};
}
TritonCase odd_case() {
  return {Problem::mm(DType::kF16, 35, 69, 75),
          std::string(kTile) + "split_k=1 persistent=0 tma=0"};
}
TritonCase split_case() {
  return {Problem::mm(DType::kF16, 35, 69, 75),
          std::string(kTile) + "split_k=2 persistent=0 tma=0"};
}
TritonCase persistent_case() {
  return {Problem::mm(DType::kF16, 80, 96, 112),
          std::string(kTile) + "split_k=1 persistent=1 tma=0"};
}
TritonCase addmm_case() {
  TritonCase each = odd_case();
  each.problem.op = Op::kAddmm;
  each.problem.epilogue = Epilogue::kBiasGelu;
  return each;
}
TritonCase bmm_case() {
  TritonCase each = odd_case();
  each.problem.op = Op::kBmm;
  each.problem.batch = 2;
  each.problem.make_tight();
  return each;
}

// In both scheduling modes, and at random with several seeds.
bool is_caught(const TritonKernel& kernel, const Problem& problem, TritonTrial trial = {}) {
  for (trial.seed = 0; trial.seed < 4; ++trial.seed) {
    if (try_triton(kernel, problem, trial)) return true;
  }
  return false;
}

struct SourceMutation {
  TritonCase each;
  const char* replaced;
  const char* by;
};

const std::vector<SourceMutation> kSourceMutations = {
    {plain_case(), "i_exists = i[:, None] < m", "i_exists = i[:, None] < m + 1"},
    {odd_case(), "i_exists & (p[None, :] < left)", "i_exists"},
    {odd_case(), "left = k - step * BLOCK_K", "left = k - step * BLOCK_K + 1"},
    {odd_case(), "else ldb)", "else ldb + 1)"},
    {odd_case(), "if EVEN_K:", "if True:"},
    {split_case(), "for share in tl.static_range(SPLIT_K)",
     "for share in tl.static_range(SPLIT_K - 1)"},
    {split_case(), "first_step = matrix % SPLIT_K * share", "first_step = matrix % SPLIT_K"},
    {persistent_case(), "pieces, tl.num_programs(0)", "pieces, tl.num_programs(0) + 1"},
    {addmm_case(), "bias + j, mask=j < n", "bias + i, mask=i < m"},
    {addmm_case(), "0.044715", "0.44715"},
    {bmm_case(), "b + batch * b_stride", "b + batch * a_stride"},
};

Result<TritonKernel> compile_mutated(TritonWorker& worker, const SourceMutation& mutation) {
  const Space space = TRIODE_TRY(triton_space(mutation.each.problem, small_gpu()));
  const Config config = TRIODE_TRY(space.parse(mutation.each.config));
  const std::string request =
      TRIODE_TRY(triton_request(mutation.each.problem, config, mutation.each.arch));
  return read_triton_answer(TRIODE_TRY(
      worker.ask(request + "replace=" + mutation.replaced + "\nwith=" + mutation.by + "\n",
                 std::chrono::seconds(60))));
}

// Tries every second mutation, from `first` on, in a worker of its own. Google Test's assertions
// may come from any thread.
void try_mutations(size_t first) {
  auto worker = TritonWorker::start({TRIODE_TRITON_PYTHON, TRIODE_MUTATING_WORKER});
  ASSERT_TRUE(worker.ok()) << worker.status().to_string();
  for (size_t i = first; i < kSourceMutations.size(); i += 2) {
    const SourceMutation& mutation = kSourceMutations[i];
    const auto kernel = compile_mutated(**worker, mutation);
    ASSERT_TRUE(kernel.ok()) << mutation.by << ": " << kernel.status().to_string();
    EXPECT_TRUE(is_caught(*kernel, mutation.each.problem)) << mutation.by;
  }
  // The worker itself breaks nothing.
  const auto unbroken = compile_mutated(**worker, {odd_case(), "if EVEN_K:", "if EVEN_K:"});
  ASSERT_TRUE(unbroken.ok()) << unbroken.status().to_string();
  EXPECT_FALSE(is_caught(*unbroken, odd_case().problem));
}

TEST(BrokenTritonSource, IsCaught) {
  setenv("TRIODE_KERNEL_SOURCES", TRIODE_TRITON_FOLDER, 1);
  std::jthread other([] { try_mutations(1); });
  try_mutations(0);
}

struct PtxMutation {
  const char* pattern;
  const char* replacement;
};

constexpr PtxMutation kPtxMutations[] = {
    {"bar\\.sync[^;]*;", ""},
    {"cp\\.async\\.wait_group[^;]*;", ""},
    {"(cp\\.async\\.cg[^;]*, 0x10), %r[0-9]+;", "$1;"},
    {"x4\\.trans\\.shared", "x4.shared"},
    {"f32\\.f16\\.f16\\.f32", "f32.bf16.bf16.f32"},
};

TEST(BrokenTritonPtx, IsCaught) {
  const auto kernel = compile_case(plain_case());
  ASSERT_TRUE(kernel.ok()) << kernel.status().to_string();
  for (const PtxMutation& mutation : kPtxMutations) {
    TritonKernel broken = *kernel;
    std::string& ptx = broken.functions[0].ptx;
    ptx = std::regex_replace(ptx, std::regex(mutation.pattern), mutation.replacement);
    ASSERT_NE(ptx, kernel->functions[0].ptx) << mutation.pattern;
    EXPECT_TRUE(is_caught(broken, plain_case().problem)) << mutation.pattern;
  }
}

TEST(BrokenTritonLaunch, IsCaught) {
  const auto kernel = compile_case(plain_case());
  ASSERT_TRUE(kernel.ok()) << kernel.status().to_string();
  const Problem problem = plain_case().problem;
  EXPECT_TRUE(is_caught(*kernel, problem, {.shared_bytes_less = 512}));
  // A kernel that was promised whole vectors, given rows that do not start on them.
  Problem odd = problem;
  odd.ldb += 1;
  EXPECT_TRUE(is_caught(*kernel, odd));
  EXPECT_FALSE(is_caught(*kernel, problem));
}

}  // namespace
}  // namespace triode::cuda
