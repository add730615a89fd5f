// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "runtime/device/cpu_artifact.h"
#include "runtime/host/call_meaning.h"
#include "runtime/host/raw_call.h"

namespace triode::host {

// A plan made ready to answer calls of one problem in this process. Immutable; may run on many
// threads at once. Freed only when no thread runs it (RetiredCode). Who calls it has made sure of
// the call's CallChecks.
class Executable {
 public:
  explicit Executable(std::unique_ptr<CpuArtifact> artifact)
      : only_kernel_(artifact->only_kernel()), artifact_(std::move(artifact)) {}

  // Answers the call, whose a and b are the problem's b and a if they are exchanged: false, and
  // nothing touched, if a pointer is null or memory ran out. No lock, no system call; allocates
  // only when the thread's workspace grows.
  bool run(const RawCall& call, bool operands_exchanged) const noexcept {
    const Operands operands = operands_of(call, operands_exchanged);
    return artifact_->accepts(operands) && artifact_->run(operands);
  }

  // The same where one kernel with its scalars built in is all there is to do; else false.
  [[gnu::always_inline]] bool run_one_kernel(const void* a, const void* b, void* c,
                                             bool operands_exchanged) const noexcept {
    if (only_kernel_ == nullptr) return false;
    if (operands_exchanged) std::swap(a, b);
    only_kernel_(a, b, c, nullptr, nullptr);
    return true;
  }

  const CpuArtifact& artifact() const { return *artifact_; }

 private:
  x86::KernelFunction only_kernel_;
  std::unique_ptr<CpuArtifact> artifact_;
};

}  // namespace triode::host
