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
  virtual ~Executable() = default;

  // Answers the call, whose a and b are the problem's b and a if they are exchanged: false, and
  // nothing touched, if it cannot. No lock; what it allocates is its implementation's to say.
  virtual bool run(const RawCall& call, bool operands_exchanged) const noexcept = 0;

  // The same where one kernel with its scalars built in is all there is to do; else false.
  [[gnu::always_inline]] bool run_one_kernel(const void* a, const void* b, void* c,
                                             bool operands_exchanged) const noexcept {
    if (only_kernel_ == nullptr) return false;
    if (operands_exchanged) std::swap(a, b);
    only_kernel_(a, b, c, nullptr, nullptr);
    return true;
  }

  virtual uint64_t digest() const = 0;  // of the code

 protected:
  explicit Executable(x86::KernelFunction only_kernel = nullptr) : only_kernel_(only_kernel) {}

 private:
  x86::KernelFunction only_kernel_;
};

// On this machine's processor. A call whose pointer is null is not answered, nor without memory;
// allocates only when the thread's workspace grows, and makes no system call.
class CpuExecutable final : public Executable {
 public:
  explicit CpuExecutable(std::unique_ptr<CpuArtifact> artifact)
      : Executable(artifact->only_kernel()), artifact_(std::move(artifact)) {}

  bool run(const RawCall& call, bool operands_exchanged) const noexcept override {
    const Operands operands = operands_of(call, operands_exchanged);
    return artifact_->accepts(operands) && artifact_->run(operands);
  }
  uint64_t digest() const override { return artifact_->digest(); }

 private:
  std::unique_ptr<CpuArtifact> artifact_;
};

}  // namespace triode::host
