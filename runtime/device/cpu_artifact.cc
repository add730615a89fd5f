// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cpu_artifact.h"

#include <string>
#include <utility>

#include "runtime/device/scratch.h"

namespace triode {
namespace {

bool belongs_to(ScalarClass scalar, double value) {
  return scalar == ScalarClass::kOther || classify_scalar(value) == scalar;
}

Status scalar_mismatch(const char* name, ScalarClass scalar, double value) {
  return invalid_argument(std::string(name) + " is " + std::to_string(value) +
                          ", but the code was built for " + name + "=" +
                          std::string(to_string(scalar)) +
                          "; build it for the class of the value, or for 'other'.");
}

}  // namespace

CpuArtifact::CpuArtifact(const Problem& problem, std::unique_ptr<x86::GemmProgram> program)
    : problem_(problem),
      workspace_bytes_(program->workspace_bytes()),
      single_(std::move(program)) {}

CpuArtifact::CpuArtifact(const Problem& problem, std::unique_ptr<ThreadedGemm> program)
    : problem_(problem),
      workspace_bytes_(program->workspace_bytes()),
      threaded_(std::move(program)) {}

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
  const bool reads_a_b = problem_.k > 0 && problem_.alpha != ScalarClass::kZero;
  if (problem_.m > 0 && problem_.n > 0 && problem_.batch > 0) {
    if (operands.c == nullptr) return invalid_argument("The pointer to c is null.");
    if (reads_a_b && (operands.a == nullptr || operands.b == nullptr)) {
      return invalid_argument("The pointer to a or b is null.");
    }
  }
  const uintptr_t bits = reinterpret_cast<uintptr_t>(operands.a) |
                         reinterpret_cast<uintptr_t>(operands.b) |
                         reinterpret_cast<uintptr_t>(operands.c);
  if (bits % static_cast<uintptr_t>(problem_.alignment_bytes) != 0) {
    return invalid_argument("A pointer is not aligned to the " +
                            std::to_string(problem_.alignment_bytes) +
                            " bytes the code was built for.");
  }
  if (!belongs_to(problem_.alpha, operands.alpha)) {
    return scalar_mismatch("alpha", problem_.alpha, operands.alpha);
  }
  if (!belongs_to(problem_.beta, operands.beta)) {
    return scalar_mismatch("beta", problem_.beta, operands.beta);
  }
  return {};
}

const Artifact& CpuArtifact::artifact() const {
  if (single_ != nullptr) return *single_;
  return *threaded_;
}

}  // namespace triode
