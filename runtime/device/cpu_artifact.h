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

  // Why these operands do not fit the problem: a null pointer, an alignment less than promised, a
  // scalar outside its class. Reads no memory behind the pointers. Nanoseconds.
  Status check(const Operands& operands) const;

  const Problem& problem() const { return problem_; }
  uint64_t digest() const override { return artifact().digest(); }
  size_t code_bytes() const override { return artifact().code_bytes(); }
  size_t workspace_bytes() const override { return workspace_bytes_; }

 private:
  const Artifact& artifact() const;

  Problem problem_;
  size_t workspace_bytes_;
  std::unique_ptr<x86::GemmProgram> single_;  // exactly one of the two is there
  std::unique_ptr<ThreadedGemm> threaded_;
};

}  // namespace triode
