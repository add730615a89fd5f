// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/device.h"
#include "core/problem.h"
#include "core/status.h"
#include "jit/x86/block_split.h"
#include "jit/x86/gemm_config.h"
#include "jit/x86/kernel_cache.h"
#include "jit/x86/packing.h"

namespace triode::x86 {

// A matmul of one exact problem on one thread: the loops over cache blocks, the packing they ask
// for, and the kernels they call. Immutable; run() may be called from many threads at once, each
// with a workspace of its own.
class GemmProgram final : public Artifact {
 public:
  // Compiles the kernels, or finds them in `kernels`. Ignores the config's threads and split.
  static Result<std::unique_ptr<GemmProgram>> build(const Problem& problem,
                                                    const GemmConfig& config, KernelCache& kernels);

  // No allocation, no lock, no system call. `workspace`: workspace_bytes() bytes aligned to 64.
  void run(const Operands& operands, void* workspace) const noexcept {
    if (direct_ != nullptr) {
      direct_(operands.a, operands.b, operands.c, workspace, nullptr);
    } else {
      run_parts(operands, workspace);
    }
  }

  // The kernel that run() calls with the operands as they come and no scalars; null if it does more
  // than that.
  KernelFunction direct() const { return direct_; }

  uint64_t digest() const override { return digest_; }
  size_t code_bytes() const override { return code_bytes_; }
  size_t workspace_bytes() const override { return workspace_bytes_; }

 private:
  // How a block of an operand reaches the kernel.
  enum class Move : uint8_t { kInPlace, kCopy, kTranspose, kPanels, kTransposedPanels };

  // A kernel for each size a block can have, for the first block of k and for those that add to it.
  using KernelTable = std::array<KernelFunction, 16>;
  static size_t table_index(bool last_m, bool last_n, bool last_k, bool accumulates) {
    return size_t{last_m} | size_t{last_n} << 1 | size_t{last_k} << 2 | size_t{accumulates} << 3;
  }

  GemmProgram() = default;
  Status split_edge(const GemmConfig& config, KernelCache& kernels);
  void plan_blocks(const GemmConfig& config);
  void plan_packing(const GemmConfig& config);
  Status compile(const GemmConfig& config, KernelCache& kernels);
  KernelSpec block_spec(const GemmConfig& config, int64_t m, int64_t n, int64_t k,
                        bool accumulates) const;

  void run_parts(const Operands& operands, void* workspace) const noexcept;
  void run_blocks(Operands operands, void* workspace) const noexcept;
  void run_matrix(const Operands& operands, const KernelScalars* scalars,
                  unsigned char* workspace) const noexcept;
  void run_block(const Operands& operands, int64_t k_block, int64_t n_block,
                 const KernelScalars* scalars, unsigned char* workspace) const noexcept;
  void run_rows(const void* a, const void* b, unsigned char* c, int64_t k_block, int64_t n_block,
                const KernelScalars* scalars, unsigned char* workspace) const noexcept;
  const void* pack_b(const void* b, int64_t k, int64_t n, unsigned char* to) const noexcept;
  const void* pack_a(const void* a, int64_t m, int64_t k, unsigned char* to) const noexcept;
  void scale_c(const Operands& operands) const noexcept;
  bool only_scales() const { return kernels_.empty(); }
  bool reads_scalars() const;
  // From a(i, p) to a(i, p + 1), as the caller stores it.
  int64_t a_step() const { return (problem_.a_transposed ? problem_.lda : 1) * element_bytes_; }

  Problem problem_;  // as oriented for the kernels, without the columns of edge_
  bool operands_exchanged_ = false;
  int64_t element_bytes_ = 4;
  BlockSplit m_blocks_, n_blocks_, k_blocks_;
  Move move_a_ = Move::kInPlace;
  Move move_b_ = Move::kInPlace;
  bool packs_all_rows_ = false;  // of a block of k, before the blocks of columns that share them
  int64_t a_row_bytes_ = 0;      // strides the kernels use, after packing
  int64_t a_step_bytes_ = 0;
  int64_t b_row_bytes_ = 0;
  int64_t panel_columns_ = 0;
  int64_t lanes_ = 0;
  size_t b_workspace_ = 0;  // offsets into the workspace
  size_t panel_workspace_ = 0;
  KernelTable table_{};
  KernelFunction only_ = nullptr;    // set if a whole matrix is one call of one kernel
  KernelFunction direct_ = nullptr;  // set if, besides, the operands can be handed on as they come
  std::vector<std::shared_ptr<const Kernel>> kernels_;
  std::unique_ptr<GemmProgram> edge_;  // of the last columns, where dot products take those
  uint64_t digest_ = 0;
  size_t code_bytes_ = 0;
  size_t workspace_bytes_ = 0;
};

}  // namespace triode::x86
