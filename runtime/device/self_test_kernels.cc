// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/self_test_kernels.h"

#include <algorithm>
#include <utility>

#include "runtime/device/compiled_kernels.h"

namespace triode {
namespace {

// Cases that are compiled ahead: more than there are workers, so that none waits for a slow one.
constexpr size_t kAhead = 12;

Status at_config(const std::string& config, const Status& status) {
  return Status(status.code(), config + ": " + status.message());
}

}  // namespace

size_t SelfTestKernels::add(SelfTestCase added) {
  cases_.push_back(std::move(added));
  return cases_.size() - 1;
}

Result<SelfTestKernels::Compiled> SelfTestKernels::compile_one(const SelfTestCase& wanted,
                                                               const SelfTestConfig& choice) const {
  const std::string& isa = device_.target().isa;
  Compiled made{choice.text, std::nullopt, {}};
  if (wanted.is_triton) {
    auto kernel = compilers_.triton->compile(wanted.problem, choice.config, isa);
    if (!kernel.ok()) return at_config(made.config, kernel.status());
    made.triton = std::move(kernel).take();
  } else {
    auto program = compile_nvrtc_program(*compilers_.nvrtc, isa, wanted.problem, choice.config);
    if (!program.ok()) return at_config(made.config, program.status());
    made.program = std::move(program).take();
  }
  return made;
}

std::vector<Result<SelfTestKernels::Compiled>> SelfTestKernels::compile(
    const SelfTestCase& wanted) const {
  std::vector<Result<Compiled>> all;
  const auto configs = configs_of(wanted, block_limits_of(device_.target()), configs_);
  if (!configs.ok()) return {configs.status()};
  for (const SelfTestConfig& each : *configs) all.push_back(compile_one(wanted, each));
  return all;
}

std::vector<Result<SelfTestKernels::Compiled>> SelfTestKernels::compiled(size_t number) {
  running_.resize(cases_.size());
  for (size_t i = number; i < std::min(number + kAhead, cases_.size()); ++i) {
    if (running_[i].valid()) continue;
    running_[i] =
        std::async(std::launch::async, [this, &wanted = cases_[i]] { return compile(wanted); });
  }
  return running_[number].get();
}

Result<SelfTestKernel> SelfTestKernels::load(const SelfTestCase& wanted,
                                             Result<Compiled> compiled) const {
  Compiled code = TRIODE_TRY(std::move(compiled));
  SelfTestKernel made;
  made.config = code.config;
  const auto work = [&]() -> Status {
    made.matrices = std::make_unique<SelfTestMatrices>(
        TRIODE_TRY(SelfTestMatrices::make(device_, wanted.problem, wanted.alpha, wanted.beta)));
    if (code.triton) {
      const cuda::BlockLimits limits = block_limits_of(device_.target());
      const size_t bytes = cuda::triton_workspace_bytes(*code.triton, wanted.problem, limits);
      made.workspace = TRIODE_TRY(device_.allocate(bytes));
      cuda::TritonValues fixed;
      fixed.a_scale = fixed.b_scale = made.matrices->ones();
      fixed.workspace = reinterpret_cast<uint64_t>(made.workspace.data());
      code.program = triton_program(wanted.problem, limits, std::move(*code.triton), fixed);
    }
    made.artifact = TRIODE_TRY(device_.load(std::move(code.program)));
    return {};
  };
  const Status status = work();
  if (!status.ok()) return at_config(code.config, status);
  return made;
}

// Twice: a kernel that adds in another order each time is no good as a plan.
Status SelfTestKernels::try_kernel(const SelfTestCase& wanted, const SelfTestKernel& kernel) const {
  const SelfTestMatrices& matrices = *kernel.matrices;
  TRIODE_TRY(device_.run(*kernel.artifact, matrices.operands()));
  TRIODE_TRY(matrices.compare());
  const std::string first = TRIODE_TRY(matrices.result());
  if (wanted.beta != 0) TRIODE_TRY(matrices.reset_c());
  TRIODE_TRY(device_.run(*kernel.artifact, matrices.operands()));
  if (TRIODE_TRY(matrices.result()) == first) return {};
  return internal_error("a second run gave other bits");
}

Result<std::string> SelfTestKernels::check(size_t number) {
  std::string configs;
  for (Result<Compiled>& each : compiled(number)) {
    const SelfTestKernel kernel = TRIODE_TRY(load(cases_[number], std::move(each)));
    const Status status = try_kernel(cases_[number], kernel);
    if (!status.ok()) return at_config(kernel.config, status);
    configs += (configs.empty() ? "" : "; ") + kernel.config;
  }
  return configs;
}

Result<SelfTestKernel> SelfTestKernels::prepare(size_t number) {
  auto all = compiled(number);
  return load(cases_[number], std::move(all.front()));
}

}  // namespace triode
