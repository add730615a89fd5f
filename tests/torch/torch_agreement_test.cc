// SPDX-License-Identifier: Apache-2.0
// What torch computes and what our kernels compute for the same call both keep the bound that
// tests/reference states, so they differ by no more than twice the bound. It also puts the plain
// reference itself before a second judge.
#include <ATen/Parallel.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/mm.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/random.h"
#include "core/space.h"
#include "jit/x86/gemm_space.h"
#include "runtime/device/cpu_device.h"
#include "tests/reference/error_bound.h"
#include "tests/reference/guarded_operands.h"

namespace triode {
namespace {

struct Case {
  std::string problem;
  double alpha = 1;
  double beta = 0;
};

// A stored matrix as torch sees it; a transposed one is a view with its strides exchanged.
at::Tensor as_tensor(GuardedMatrix& matrix, DType dtype, bool transposed) {
  const MatrixShape& shape = matrix.shape();
  const auto type = dtype == DType::kF32 ? at::kFloat : at::kDouble;
  const at::Tensor stored =
      at::from_blob(matrix.data(), {shape.rows, shape.columns}, {shape.ld, 1}, type);
  return transposed ? stored.t() : stored;
}

void run_torch(const Problem& problem, const Case& each, GuardedOperands& operands) {
  const at::Tensor a = as_tensor(operands.a(), problem.a_type, problem.a_transposed);
  const at::Tensor b = as_tensor(operands.b(), problem.b_type, problem.b_transposed);
  at::Tensor c = as_tensor(operands.c(), problem.c_type, false);
  if (each.alpha == 1 && each.beta == 0) {
    at::mm_out(c, a, b);
  } else {
    at::addmm_out(c, c, a, b, each.beta, each.alpha);
  }
}

// The best guesses, and some draws from the rest of the space.
std::vector<Config> configs_to_try(const Space& space, const Problem& problem) {
  constexpr size_t kGuesses = 3;
  constexpr int kDraws = 5;
  std::vector<Config> configs = x86::promising_configs(space, problem);
  if (configs.size() > kGuesses) configs.resize(kGuesses);
  Random random(11);
  for (int i = 0; i < kDraws; ++i) configs.push_back(*space.sample(random));
  return configs;
}

class TorchAgreement : public ::testing::TestWithParam<Case> {};

TEST_P(TorchAgreement, BothKeepTheBound) {
  at::set_num_threads(1);
  const Problem problem = std::move(parse_problem(GetParam().problem)).take();
  GuardedOperands memory(problem, Guard::kBeforeStart, 3);
  const Operands operands = memory.operands(GetParam().alpha, GetParam().beta);
  const ErrorBound bound(problem, operands);
  const auto before = memory.c().snapshot();

  run_torch(problem, GetParam(), memory);
  EXPECT_EQ(bound.find_mismatch(operands.c), std::nullopt) << "torch";
  EXPECT_NE(memory.c().snapshot(), before);

  const auto device = std::move(CpuDevice::create()).take();
  const Space space = std::move(device->enumerate(problem)).take();
  for (const Config& config : configs_to_try(space, problem)) {
    memory.c().restore(before);
    const auto artifact = std::move(device->build(problem, config)).take();
    const Status ran = device->run(*artifact, operands);
    ASSERT_TRUE(ran.ok()) << ran.to_string();
    EXPECT_EQ(bound.find_mismatch(operands.c), std::nullopt) << space.to_string(config);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Problems, TorchAgreement,
    ::testing::Values(Case{"mm f32 64x64x64 nn"}, Case{"mm f32 33x47x129 nn"},
                      Case{"mm f32 40x56x72 nt"}, Case{"mm f32 40x56x72 tn"},
                      Case{"mm f32 41x57x73 tt"}, Case{"mm f32 1x128x96 nt"},
                      Case{"mm f64 31x29x65 nn"}, Case{"mm f64 32x48x64 tt"},
                      Case{"mm f32 24x40x56 nn ld=70,41,48"},
                      Case{"mm f64 24x40x56 tt ld=25,60,44"},
                      Case{"mm f32 48x32x80 nn alpha=other beta=other", 0.75, -1.5},
                      Case{"mm f64 17x19x23 tn ld=20,24,28 alpha=other beta=1", -2, 1}));

}  // namespace
}  // namespace triode
