// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/device.h"
#include "core/problem.h"
#include "core/status.h"
#include "jit/x86/gemm_program.h"
#include "runtime/device/threaded_gemm.h"

namespace triode {

// What a CpuDevice builds: a matmul of one exact problem on one thread or on several.
// Immutable; may run on many threads at once.
class CpuArtifact final : public Artifact {
 public:
  CpuArtifact(const Problem& problem, std::unique_ptr<x86::GemmProgram> program);
  CpuArtifact(const Problem& problem, std::unique_ptr<ThreadedGemm> program);

  // The shortest way to run, with nothing checked: the operands must fit the problem. False, and c
  // untouched, only if the thread's workspace had to grow and memory ran out.
  bool run(const Operands& operands) const noexcept;

  // The kernel that is all of run(): called with a, b, c and two null pointers. Null if run() does
  // more.
  x86::KernelFunction only_kernel() const {
    return single_ != nullptr && workspace_bytes_ == 0 ? single_->direct() : nullptr;
  }

  // Whether the operands fit the problem: pointers where they are needed, the alignment promised,
  // scalars of their classes. Reads no memory behind the pointers. A nanosecond or two.
  bool accepts(const Operands& operands) const noexcept {
    const uintptr_t bits = reinterpret_cast<uintptr_t>(operands.a) |
                           reinterpret_cast<uintptr_t>(operands.b) |
                           reinterpret_cast<uintptr_t>(operands.c);
    const bool pointers = (operands.c != nullptr || !writes_c_) &&
                          ((operands.a != nullptr && operands.b != nullptr) || !reads_a_b_);
    return pointers && (bits & misalignment_bits_) == 0 &&
           (any_alpha_ || operands.alpha == alpha_) && (any_beta_ || operands.beta == beta_);
  }

  // The same as accepts(), with the reason in words.
  Status check(const Operands& operands) const;

  const Problem& problem() const { return problem_; }
  uint64_t digest() const override { return artifact().digest(); }
  size_t code_bytes() const override { return artifact().code_bytes(); }
  size_t workspace_bytes() const override { return workspace_bytes_; }

 private:
  CpuArtifact(const Problem& problem, size_t workspace_bytes);
  const Artifact& artifact() const;

  Problem problem_;
  uintptr_t misalignment_bits_;  // bits no pointer may have
  bool writes_c_;                // else the product is empty, and pointers may be null
  bool reads_a_b_;
  bool any_alpha_;
  bool any_beta_;
  double alpha_;  // the one value allowed, unless any is
  double beta_;
  size_t workspace_bytes_;
  std::unique_ptr<x86::GemmProgram> single_;  // exactly one of the two is there
  std::unique_ptr<ThreadedGemm> threaded_;
};

}  // namespace triode
