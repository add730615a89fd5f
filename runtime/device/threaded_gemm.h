// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/device.h"
#include "core/problem.h"
#include "core/status.h"
#include "jit/x86/gemm_config.h"
#include "jit/x86/gemm_program.h"
#include "jit/x86/kernel_cache.h"
#include "jit/x86/orientation.h"
#include "runtime/device/parallel_for.h"
#include "runtime/device/partition.h"

namespace triode {

// One matmul shared out over threads: by rows or columns of c, by depth (k), or by matrices of a
// batch, each part a GemmProgram of its own on the caller's memory. A batch at least as long as
// there are threads is cut between matrices where the config says rows.
//
// By depth, the first part writes c and the others write their products beside it; a second
// parallel loop adds them up in a fixed order, so the result does not depend on which thread was
// faster.
//
// Immutable; run() may be called from many threads at once, each with a workspace of its own.
class ThreadedGemm final : public Artifact {
 public:
  // What is shared out.
  enum class Axis : uint8_t { kBatch, kRows, kColumns, kDepth };

  // kUnsupported if the problem cannot be cut into two parts or more in the config's way, or if the
  // partial products of a depth split would take more than 256 MiB.
  static Result<std::unique_ptr<ThreadedGemm>> build(const Problem& problem,
                                                     const x86::GemmConfig& config,
                                                     x86::KernelCache& kernels,
                                                     ParallelFor parallel_for);

  // No allocation, no lock. `workspace`: workspace_bytes() bytes aligned to 64.
  void run(const Operands& operands, void* workspace) const noexcept;

  int parts() const { return static_cast<int>(parts_.size()); }
  uint64_t digest() const override { return digest_; }
  size_t code_bytes() const override { return code_bytes_; }
  size_t workspace_bytes() const override { return workspace_bytes_; }

 private:
  struct Part {
    Problem problem;
    std::shared_ptr<const x86::GemmProgram> program;  // parts of equal problems share it
    int64_t a_offset_bytes = 0;
    int64_t b_offset_bytes = 0;
    int64_t c_offset_bytes = 0;  // into c, or into the workspace for a partial product
    bool is_partial = false;
    int64_t workspace_offset_bytes = 0;
  };
  struct Call;

  ThreadedGemm(const x86::OrientedProblem& oriented, ParallelFor parallel_for);

  Status build_parts(const x86::GemmConfig& config, x86::KernelCache& kernels);
  Status add_part(Part part, const x86::GemmConfig& config, x86::KernelCache& kernels);
  void make_partial(Part& part) const;
  Part part_of(Axis axis, const Extent& extent) const;
  Status reserve_partials(int count);
  size_t reserve(size_t size_bytes);
  void run_part(const Call& call, int index) const;
  void add_partials(const Call& call, int index) const;

  Problem problem_;  // as oriented for the kernels: a config's split speaks of its dimensions
  bool operands_exchanged_;
  ParallelFor parallel_for_;
  bool streams_ = false;  // the parts' stores need a fence before another thread may read c
  std::vector<Part> parts_;
  int64_t partial_ld_ = 0;     // of the partial products, in elements
  int64_t partial_bytes_ = 0;  // size of one of them
  uint64_t digest_ = 0;
  size_t code_bytes_ = 0;
  size_t workspace_bytes_ = 0;
};

}  // namespace triode
