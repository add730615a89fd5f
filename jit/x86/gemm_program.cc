// SPDX-License-Identifier: Apache-2.0
#include "jit/x86/gemm_program.h"

#include <algorithm>
#include <cassert>
#include <string_view>

#include "core/key.h"
#include "jit/x86/orientation.h"
#include "jit/x86/register_tile.h"
#include "jit/x86/scale_matrix.h"

namespace triode::x86 {
namespace {

constexpr int64_t kCacheLineBytes = 64;

int64_t round_up(int64_t value, int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// From one packed row to the next: an odd number of cache lines, so that the rows of a tile, and
// those that are turned together, do not fall into the same few cache sets. Where they do, turning
// a takes up to ten times as long.
int64_t packed_row_bytes(int64_t row_bytes) {
  return (round_up(row_bytes, kCacheLineBytes) / kCacheLineBytes | 1) * kCacheLineBytes;
}

const unsigned char* at(const void* base, int64_t offset_bytes) {
  return static_cast<const unsigned char*>(base) + offset_bytes;
}

// As many columns as there are, up to four, whose sums are added up together; as many rows as then
// fit the registers.
GemmConfig dots_for_edge(IsaId isa, const Problem& edge) {
  constexpr int64_t kMostColumns = 4;
  const VectorIsa& vectors = describe(isa);
  GemmConfig dots;
  dots.isa = isa;
  dots.family = Family::kDot;
  dots.nr = static_cast<int32_t>(std::min(kMostColumns, edge.n));
  dots.mr = 1;
  while (dots.mr < edge.m && dot_tile_fits(vectors, dots.mr + 1, dots.nr)) ++dots.mr;
  dots.ku = edge.k >= 4 * vectors.lanes(size_bytes(edge.c_type)) ? 2 : 1;
  dots.pack_b = edge.b_transposed ? PackB::kNone : PackB::kWhole;
  return dots;
}

// How a kernel stores the columns that fill no vector. None are left to it by kDot, unless it has
// no others.
EdgeStore edge_of_kernel(const GemmConfig& config) {
  if (config.edge != EdgeStore::kDot) return config.edge;
  return describe(config.isa).has_opmask ? EdgeStore::kMasked : EdgeStore::kSplit;
}

}  // namespace

Result<std::unique_ptr<GemmProgram>> GemmProgram::build(const Problem& problem,
                                                        const GemmConfig& config,
                                                        KernelCache& kernels) {
  TRIODE_TRY(problem.validate());
  std::unique_ptr<GemmProgram> program(new GemmProgram);
  const OrientedProblem oriented = orient(problem);
  program->problem_ = oriented.problem;
  program->operands_exchanged_ = oriented.operands_exchanged;
  program->element_bytes_ = triode::size_bytes(problem.c_type);
  const Problem& p = program->problem_;
  if (p.m == 0 || p.n == 0 || p.k == 0 || p.alpha == ScalarClass::kZero) return program;
  if (config.edge == EdgeStore::kDot) TRIODE_TRY(program->split_edge(config, kernels));
  program->plan_blocks(config);
  program->plan_packing(config);
  TRIODE_TRY(program->compile(config, kernels));
  return program;
}

// Leaves the columns that do not fill a vector to a program of their own. Where a matrix was cut
// into parts for threads there may be none, or no others: those are then stored as the tile can.
Status GemmProgram::split_edge(const GemmConfig& config, KernelCache& kernels) {
  const int64_t left = problem_.n % describe(config.isa).lanes(element_bytes_);
  if (left == 0 || left == problem_.n) return {};
  Problem edge = problem_;
  edge.n = left;
  edge.alignment_bytes = static_cast<int32_t>(element_bytes_);
  edge_ = TRIODE_TRY(build(edge, dots_for_edge(config.isa, edge), kernels));
  problem_.n -= left;
  return {};
}

void GemmProgram::plan_blocks(const GemmConfig& config) {
  m_blocks_ = split_blocks(problem_.m, config.mc, config.mr);
  n_blocks_ = split_blocks(problem_.n, config.nc, config.nr);
  k_blocks_ = split_blocks(problem_.k, config.kc, 1);
}

// Decides how blocks are moved, the strides the kernels then see, and the workspace that takes.
void GemmProgram::plan_packing(const GemmConfig& config) {
  const bool dot = config.family == Family::kDot;
  const int64_t lda_bytes = problem_.lda * element_bytes_;
  panel_columns_ = config.nr;
  lanes_ = describe(config.isa).lanes(element_bytes_);
  int64_t a_bytes = 0, b_bytes = 0;

  a_row_bytes_ = problem_.a_transposed ? element_bytes_ : lda_bytes;
  a_step_bytes_ = problem_.a_transposed ? lda_bytes : element_bytes_;
  if (config.pack_a == PackA::kCopy) {
    move_a_ = problem_.a_transposed ? Move::kTranspose : Move::kCopy;
    a_row_bytes_ = packed_row_bytes(k_blocks_.size * element_bytes_);
    a_step_bytes_ = element_bytes_;
    // With several blocks of columns all rows are packed at once, or each block would pack them
    // again.
    packs_all_rows_ = n_blocks_.count > 1;
    a_bytes = a_row_bytes_ * (packs_all_rows_ ? problem_.m : m_blocks_.size);
  }
  b_row_bytes_ = problem_.ldb * element_bytes_;
  if (config.pack_b == PackB::kWhole && dot) {
    move_b_ = problem_.b_transposed ? Move::kCopy : Move::kTranspose;
    b_row_bytes_ = packed_row_bytes(k_blocks_.size * element_bytes_);
    b_bytes = b_row_bytes_ * n_blocks_.size;
  } else if (config.pack_b == PackB::kWhole) {
    move_b_ = problem_.b_transposed ? Move::kTransposedPanels : Move::kPanels;
    b_bytes = PanelLayout{k_blocks_.size, n_blocks_.size, panel_columns_, lanes_, element_bytes_}
                  .size_bytes();
  }
  b_workspace_ = static_cast<size_t>(round_up(a_bytes, kCacheLineBytes));
  panel_workspace_ = b_workspace_ + static_cast<size_t>(round_up(b_bytes, kCacheLineBytes));
}

KernelSpec GemmProgram::block_spec(const GemmConfig& config, int64_t m, int64_t n, int64_t k,
                                   bool accumulates) const {
  KernelSpec spec;
  spec.isa = config.isa;
  spec.family = config.family;
  spec.dtype = problem_.c_type;
  spec.mr = config.mr;
  spec.nr = config.nr;
  spec.ku = config.ku;
  spec.m = m;
  spec.n = n;
  spec.k = k;
  spec.a_row_bytes = a_row_bytes_;
  spec.a_step_bytes = a_step_bytes_;
  spec.c_row_bytes = problem_.ldc * element_bytes_;
  const bool panels = move_b_ == Move::kPanels || move_b_ == Move::kTransposedPanels;
  spec.b_row_bytes = panels ? 0 : b_row_bytes_;
  spec.b_layout = panels                           ? BLayout::kPanels
                  : config.pack_b == PackB::kPanel ? BLayout::kStridedAndPacked
                                                   : BLayout::kStrided;
  spec.alpha = problem_.alpha == ScalarClass::kOne ? ScalarClass::kOne : ScalarClass::kOther;
  spec.beta = accumulates                               ? ScalarClass::kOne
              : problem_.beta == ScalarClass::kMinusOne ? ScalarClass::kOther
                                                        : problem_.beta;
  spec.order = config.order;
  spec.rows = config.rows;
  spec.edge = edge_of_kernel(config);
  spec.stores = config.stores;
  spec.prefetch_a = config.prefetch_a;
  spec.prefetch_b = config.prefetch_b;
  spec.prefetch_panel = config.prefetch_panel;
  spec.prefetch_c = config.prefetch_c;
  return spec;
}

Status GemmProgram::compile(const GemmConfig& config, KernelCache& kernels) {
  int64_t panel_bytes = 0;
  for (size_t index = 0; index < table_.size(); ++index) {
    const bool last_m = index & 1, last_n = index & 2, last_k = index & 4, accumulates = index & 8;
    // Blocks that do not occur: all are last where there is one; the first block of k never
    // accumulates.
    if ((m_blocks_.count == 1 && !last_m) || (n_blocks_.count == 1 && !last_n)) continue;
    if (accumulates ? (k_blocks_.count <= (last_k ? 1 : 2)) : ((k_blocks_.count == 1) != last_k))
      continue;
    const KernelSpec spec = block_spec(config, last_m ? m_blocks_.last : m_blocks_.size,
                                       last_n ? n_blocks_.last : n_blocks_.size,
                                       last_k ? k_blocks_.last : k_blocks_.size, accumulates);
    std::shared_ptr<const Kernel> kernel = TRIODE_TRY(kernels.get(spec));
    table_[index] = kernel->function();
    panel_bytes = std::max(panel_bytes, x86::workspace_bytes(spec));
    if (std::find(kernels_.begin(), kernels_.end(), kernel) != kernels_.end()) continue;
    const std::span<const uint8_t> code = kernel->code();
    digest_ = hash_bytes({reinterpret_cast<const char*>(code.data()), code.size()}, digest_);
    code_bytes_ += code.size();
    kernels_.push_back(std::move(kernel));
  }
  workspace_bytes_ = panel_workspace_ + static_cast<size_t>(panel_bytes);
  if (edge_ != nullptr) {
    digest_ = hash_bytes({reinterpret_cast<const char*>(&edge_->digest_), sizeof edge_->digest_},
                         digest_);
    code_bytes_ += edge_->code_bytes_;
    workspace_bytes_ = std::max(workspace_bytes_, edge_->workspace_bytes_);
  }
  const bool one_block = m_blocks_.count == 1 && n_blocks_.count == 1 && k_blocks_.count == 1;
  if (one_block && move_a_ == Move::kInPlace && move_b_ == Move::kInPlace)
    only_ = kernels_[0]->function();
  const bool is_all = problem_.batch == 1 && !operands_exchanged_ && edge_ == nullptr;
  if (is_all && !reads_scalars()) direct_ = only_;
  return {};
}

bool GemmProgram::reads_scalars() const {
  return problem_.alpha != ScalarClass::kOne || problem_.beta == ScalarClass::kMinusOne ||
         problem_.beta == ScalarClass::kOther;
}

void GemmProgram::run_parts(const Operands& given, void* workspace) const noexcept {
  Operands operands = given;
  if (operands_exchanged_) std::swap(operands.a, operands.b);
  run_blocks(operands, workspace);
  if (edge_ == nullptr) return;
  const int64_t columns_bytes = problem_.n * element_bytes_;
  operands.b = at(operands.b, problem_.b_transposed ? problem_.n * problem_.ldb * element_bytes_
                                                    : columns_bytes);
  operands.c = static_cast<unsigned char*>(operands.c) + columns_bytes;
  edge_->run(operands, workspace);
}

void GemmProgram::run_blocks(Operands operands, void* workspace) const noexcept {
  assert(problem_.alpha == ScalarClass::kOther ||
         classify_scalar(operands.alpha) == problem_.alpha);
  assert(problem_.beta == ScalarClass::kOther || classify_scalar(operands.beta) == problem_.beta);
  KernelScalars scalars;
  if (reads_scalars()) {
    // A product with zero is not looked at, and a c that is overwritten may hold anything.
    if (operands.alpha == 0 || only_scales()) return scale_c(operands);
    if (operands.beta == 0 && problem_.beta == ScalarClass::kOther) scale_c(operands);
    scalars = make_scalars(problem_.c_type, operands.alpha, operands.beta);
  } else if (only_scales()) {
    return scale_c(operands);
  }
  auto* const scratch = static_cast<unsigned char*>(workspace);
  for (int64_t i = 0; i < problem_.batch; ++i) {
    run_matrix(operands, &scalars, scratch);
    operands.a = at(operands.a, problem_.a_batch_stride * element_bytes_);
    operands.b = at(operands.b, problem_.b_batch_stride * element_bytes_);
    operands.c = static_cast<unsigned char*>(operands.c) + problem_.c_batch_stride * element_bytes_;
  }
}

void GemmProgram::run_matrix(const Operands& operands, const KernelScalars* scalars,
                             unsigned char* workspace) const noexcept {
  if (only_ != nullptr) {
    only_(operands.a, operands.b, operands.c, workspace, scalars);
    return;
  }
  if (packs_all_rows_) {
    for (int64_t p = 0; p < k_blocks_.count; ++p) {
      const void* const a = at(operands.a, p * k_blocks_.size * a_step());
      pack_a(a, problem_.m, k_blocks_.size_of(p), workspace);
      for (int64_t j = 0; j < n_blocks_.count; ++j) run_block(operands, p, j, scalars, workspace);
    }
    return;
  }
  for (int64_t j = 0; j < n_blocks_.count; ++j) {
    for (int64_t p = 0; p < k_blocks_.count; ++p) run_block(operands, p, j, scalars, workspace);
  }
}

void GemmProgram::run_block(const Operands& operands, int64_t k_block, int64_t n_block,
                            const KernelScalars* scalars, unsigned char* workspace) const noexcept {
  const int64_t ldb_bytes = problem_.ldb * element_bytes_;
  const int64_t b_step = problem_.b_transposed ? element_bytes_ : ldb_bytes;
  const int64_t b_column = problem_.b_transposed ? ldb_bytes : element_bytes_;
  const void* b =
      at(operands.b, k_block * k_blocks_.size * b_step + n_block * n_blocks_.size * b_column);
  b = pack_b(b, k_blocks_.size_of(k_block), n_blocks_.size_of(n_block), workspace + b_workspace_);
  run_rows(at(operands.a, k_block * k_blocks_.size * a_step()), b,
           static_cast<unsigned char*>(operands.c) + n_block * n_blocks_.size * element_bytes_,
           k_block, n_block, scalars, workspace);
}

void GemmProgram::run_rows(const void* a, const void* b, unsigned char* c, int64_t k_block,
                           int64_t n_block, const KernelScalars* scalars,
                           unsigned char* workspace) const noexcept {
  const int64_t a_row = problem_.a_transposed ? element_bytes_ : problem_.lda * element_bytes_;
  const int64_t c_row = problem_.ldc * element_bytes_;
  const size_t column_index = table_index(false, n_block == n_blocks_.count - 1,
                                          k_block == k_blocks_.count - 1, k_block > 0);
  for (int64_t i = 0; i < m_blocks_.count; ++i) {
    const void* block = packs_all_rows_
                            ? at(workspace, i * m_blocks_.size * a_row_bytes_)
                            : pack_a(at(a, i * m_blocks_.size * a_row), m_blocks_.size_of(i),
                                     k_blocks_.size_of(k_block), workspace);
    const size_t index = column_index | table_index(i == m_blocks_.count - 1, false, false, false);
    table_[index](block, b, c + i * m_blocks_.size * c_row, workspace + panel_workspace_, scalars);
  }
}

const void* GemmProgram::pack_b(const void* b, int64_t k, int64_t n,
                                unsigned char* to) const noexcept {
  const int64_t ldb_bytes = problem_.ldb * element_bytes_;
  const PanelLayout layout{k, n, panel_columns_, lanes_, element_bytes_};
  switch (move_b_) {
    case Move::kInPlace:
      return b;
    case Move::kCopy:
      copy_rows(b, ldb_bytes, n, k * element_bytes_, to, b_row_bytes_);
      break;
    case Move::kTranspose:
      transpose(b, ldb_bytes, k, n, element_bytes_, to, b_row_bytes_, k, lanes_ * element_bytes_);
      break;
    case Move::kPanels:
      pack_panels(layout, b, ldb_bytes, to);
      break;
    case Move::kTransposedPanels:
      pack_panels_transposed(layout, b, ldb_bytes, to);
      break;
  }
  return to;
}

const void* GemmProgram::pack_a(const void* a, int64_t m, int64_t k,
                                unsigned char* to) const noexcept {
  const int64_t lda_bytes = problem_.lda * element_bytes_;
  if (move_a_ == Move::kInPlace) return a;
  if (move_a_ == Move::kTranspose) {
    transpose(a, lda_bytes, k, m, element_bytes_, to, a_row_bytes_, k, lanes_ * element_bytes_);
  } else {
    copy_rows(a, lda_bytes, m, k * element_bytes_, to, a_row_bytes_);
  }
  return to;
}

void GemmProgram::scale_c(const Operands& operands) const noexcept {
  auto* c = static_cast<unsigned char*>(operands.c);
  for (int64_t i = 0; i < problem_.batch; ++i) {
    scale_matrix(problem_.c_type, problem_.m, problem_.n, problem_.ldc, operands.beta, c);
    c += problem_.c_batch_stride * element_bytes_;
  }
}

}  // namespace triode::x86
