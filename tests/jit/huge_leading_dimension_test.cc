// SPDX-License-Identifier: Apache-2.0
// Rows gigabytes apart: every offset has to be computed in 64 bits. The memory is reserved, and
// only the pages that hold elements are ever used.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "core/random.h"
#include "jit/x86/gemm_program.h"
#include "jit/x86/gemm_space.h"
#include "tests/reference/error_bound.h"
#include "tests/reference/guarded_memory.h"

namespace triode::x86 {
namespace {

constexpr int64_t kRows = 5;
constexpr int64_t kLd = (int64_t{1} << 29) + 3;  // floats: a row pitch just past 2 GiB

// A kRows x columns matrix of floats with that pitch.
class SparseMatrix {
 public:
  SparseMatrix(int64_t columns, uint64_t seed) {
    void* address = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (address == MAP_FAILED) return;
    data_ = static_cast<float*>(address);
    Random random(seed);
    for (int64_t row = 0; row < kRows; ++row) {
      for (int64_t column = 0; column < columns; ++column) {
        data_[row * kLd + column] = static_cast<float>(2 * random.uniform() - 1);
      }
    }
  }
  ~SparseMatrix() {
    if (data_ != nullptr) munmap(data_, kBytes);
  }
  SparseMatrix(const SparseMatrix&) = delete;
  SparseMatrix& operator=(const SparseMatrix&) = delete;

  float* data() { return data_; }

 private:
  static constexpr size_t kBytes = static_cast<size_t>(kRows * kLd) * sizeof(float);
  float* data_ = nullptr;
};

// Builds and runs every legal config; gives back how many there were.
int run_programs(const Problem& problem, const Operands& operands) {
  const ErrorBound bound(problem, operands);
  const Result<Space> space = gemm_space(problem, runnable_isas(), 1);
  EXPECT_TRUE(space.ok()) << space.status().to_string();
  int built = 0;
  for (const Config& config : space->enumerate()) {
    const std::string text = to_string(problem) + "\n" + space->to_string(config);
    KernelCache kernels;
    const auto program = GemmProgram::build(problem, to_gemm_config(config), kernels);
    ++built;
    EXPECT_TRUE(program.ok()) << text << program.status().to_string();
    if (!program.ok()) continue;
    const GuardedMemory workspace((*program)->workspace_bytes(), Guard::kBeforeStart);
    (*program)->run(operands, workspace.data());
    EXPECT_EQ(bound.find_mismatch(operands.c), std::nullopt) << text;
  }
  return built;
}

class HugeLeadingDimension : public testing::TestWithParam<std::tuple<bool, bool>> {};

TEST_P(HugeLeadingDimension, IsReached) {
  if (runnable_isas().empty()) GTEST_SKIP() << "this processor has no AVX2";
  const auto [a_transposed, b_transposed] = GetParam();
  Problem problem =
      Problem::mm(DType::kF32, 5, b_transposed ? 5 : 37, 5, a_transposed, b_transposed);
  problem.lda = problem.ldb = problem.ldc = kLd;
  problem.alignment_bytes = 4;
  SparseMatrix a(5, 1);
  SparseMatrix b(b_transposed ? 5 : 37, 2);
  SparseMatrix c(problem.n, 3);
  if (a.data() == nullptr || b.data() == nullptr || c.data() == nullptr) {
    GTEST_SKIP() << "30 GiB of addresses cannot be reserved here";
  }
  EXPECT_GT(run_programs(problem, {a.data(), b.data(), c.data(), 1, 0}), 30);
}

INSTANTIATE_TEST_SUITE_P(EveryTranspose, HugeLeadingDimension,
                         testing::Combine(testing::Bool(), testing::Bool()));

}  // namespace
}  // namespace triode::x86
