// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cpu_artifact.h"

#include <string>
#include <utility>

#include "runtime/device/scratch.h"

namespace triode {
namespace {

// The only member of a class; nothing for kOther, which has all.
double value_of(ScalarClass scalar) {
  if (scalar == ScalarClass::kZero) return 0;
  return scalar == ScalarClass::kMinusOne ? -1 : 1;
}

Status scalar_mismatch(const char* name, ScalarClass scalar, double value) {
  return invalid_argument(std::string(name) + " is " + std::to_string(value) +
                          ", but the code was built for " + name + "=" +
                          std::string(to_string(scalar)) +
                          "; build it for the class of the value, or for 'other'.");
}

}  // namespace

CpuArtifact::CpuArtifact(const Problem& problem, size_t workspace_bytes)
    : problem_(problem),
      misalignment_bits_(static_cast<uintptr_t>(problem.alignment_bytes) - 1),
      writes_c_(problem.m > 0 && problem.n > 0 && problem.batch > 0),
      reads_a_b_(writes_c_ && problem.k > 0 && problem.alpha != ScalarClass::kZero),
      any_alpha_(problem.alpha == ScalarClass::kOther),
      any_beta_(problem.beta == ScalarClass::kOther),
      alpha_(value_of(problem.alpha)),
      beta_(value_of(problem.beta)),
      workspace_bytes_(workspace_bytes) {}

CpuArtifact::CpuArtifact(const Problem& problem, std::unique_ptr<x86::GemmProgram> program)
    : CpuArtifact(problem, program->workspace_bytes()) {
  single_ = std::move(program);
}

CpuArtifact::CpuArtifact(const Problem& problem, std::unique_ptr<ThreadedGemm> program)
    : CpuArtifact(problem, program->workspace_bytes()) {
  threaded_ = std::move(program);
}

bool CpuArtifact::run(const Operands& operands) const noexcept {
  void* workspace = nullptr;
  if (workspace_bytes_ > 0) {
    workspace = thread_scratch(workspace_bytes_);
    if (workspace == nullptr) return false;
  }
  if (single_ != nullptr) {
    single_->run(operands, workspace);
  } else {
    threaded_->run(operands, workspace);
  }
  return true;
}

Status CpuArtifact::check(const Operands& operands) const {
  if (accepts(operands)) return {};
  if (writes_c_ && operands.c == nullptr) return invalid_argument("The pointer to c is null.");
  if (reads_a_b_ && (operands.a == nullptr || operands.b == nullptr)) {
    return invalid_argument("The pointer to a or b is null.");
  }
  if (!any_alpha_ && operands.alpha != alpha_) {
    return scalar_mismatch("alpha", problem_.alpha, operands.alpha);
  }
  if (!any_beta_ && operands.beta != beta_) {
    return scalar_mismatch("beta", problem_.beta, operands.beta);
  }
  return invalid_argument("A pointer is not aligned to the " +
                          std::to_string(problem_.alignment_bytes) +
                          " bytes the code was built for.");
}

const Artifact& CpuArtifact::artifact() const {
  if (single_ != nullptr) return *single_;
  return *threaded_;
}

}  // namespace triode
