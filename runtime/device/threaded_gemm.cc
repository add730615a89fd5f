// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/threaded_gemm.h"

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "core/key.h"
#include "runtime/device/row_sum.h"

namespace triode {
namespace {

using x86::Family;
using x86::GemmConfig;
using x86::GemmProgram;
using x86::StoreKind;
using x86::ThreadSplit;

constexpr int64_t kCacheLineBytes = 64;
// Parts' workspaces start this far apart at least: lines are fetched in pairs.
constexpr size_t kWorkspaceAlignment = 128;
// Partial products of a depth split, all together. One that needs more moves more memory to save
// arithmetic than it can win; and the workspace stays with the thread.
constexpr double kMaxPartialBytes = 256.0 * (1 << 20);
// Elements of c from which its partial products are added up by all threads. Below, another
// parallel loop (about a microsecond) costs more than it saves.
constexpr int64_t kMinElementsToShare = 16 << 10;

using Axis = ThreadedGemm::Axis;

Axis axis_of(const Problem& problem, const GemmConfig& config) {
  if (config.split == ThreadSplit::kColumns) return Axis::kColumns;
  if (config.split == ThreadSplit::kDepth) return Axis::kDepth;
  return problem.batch >= config.threads ? Axis::kBatch : Axis::kRows;
}

int64_t& size_along(Problem& problem, Axis axis) {
  switch (axis) {
    case Axis::kBatch:
      return problem.batch;
    case Axis::kRows:
      return problem.m;
    case Axis::kColumns:
      return problem.n;
    case Axis::kDepth:
      break;
  }
  return problem.k;
}

// Where cuts may lie. The longest part sets the time, so parts should be as equal as can be:
// cutting rows between register tiles instead of anywhere leaves 36 and 28 of 64 rows where 32 and
// 32 take no more tiles. Columns are cut between cache lines, so that vectors stay whole, pointers
// stay aligned and no two threads write to one line; or between tiles if they are narrower. So is
// depth, for the reading.
int64_t granule_of(const Problem& problem, const GemmConfig& config, Axis axis) {
  const int64_t line = kCacheLineBytes / size_bytes(problem.c_type);
  if (axis == Axis::kDepth) return line;
  if (axis == Axis::kColumns && config.family == Family::kOuter) {
    return std::min<int64_t>(line, config.nr);
  }
  return 1;
}

// The largest alignment, of at most `alignment`, that the pointer keeps when it moves by
// `offset_bytes`.
int32_t alignment_after(int32_t alignment, int64_t offset_bytes) {
  while (offset_bytes % alignment != 0) alignment /= 2;
  return alignment;
}

// Elements from one step along the axis to the next, in each operand.
struct Strides {
  int64_t a = 0;
  int64_t b = 0;
  int64_t c = 0;
};

Strides strides_along(const Problem& problem, Axis axis) {
  const Problem& p = problem;
  switch (axis) {
    case Axis::kBatch:
      return {p.a_batch_stride, p.b_batch_stride, p.c_batch_stride};
    case Axis::kRows:
      return {p.a_transposed ? 1 : p.lda, 0, p.ldc};
    case Axis::kColumns:
      return {0, p.b_transposed ? p.ldb : 1, 1};
    case Axis::kDepth:
      return {p.a_transposed ? p.lda : 1, p.b_transposed ? 1 : p.ldb, 0};
  }
  return {};
}

// Rows of a partial product start on cache lines, but not all in the same few cache sets.
int64_t partial_ld(const Problem& problem) {
  const int64_t line = kCacheLineBytes / size_bytes(problem.c_type);
  const int64_t ld = (problem.n + line - 1) / line * line;
  return ld * size_bytes(problem.c_type) % 4096 == 0 ? ld + line : ld;
}

Status check_supported(const Problem& problem, Axis axis) {
  if (problem.epilogue != Epilogue::kNone) {
    return unsupported("Threaded matmuls with an epilogue are not there yet: use one thread.");
  }
  const bool can_sum = problem.c_type == DType::kF32 || problem.c_type == DType::kF64;
  if (axis == Axis::kDepth && !can_sum) {
    return unsupported("A depth split adds up f32 or f64, not " +
                       std::string(to_string(problem.c_type)) + ".");
  }
  return {};
}

const std::byte* shifted(const void* pointer, int64_t offset_bytes) {
  return static_cast<const std::byte*>(pointer) + offset_bytes;
}

std::byte* shifted(void* pointer, int64_t offset_bytes) {
  return static_cast<std::byte*>(pointer) + offset_bytes;
}

}  // namespace

struct ThreadedGemm::Call {
  const ThreadedGemm& gemm;
  Operands operands;
  void* workspace;
  int sum_parts = 1;  // shares in which the partial products are added up
};

ThreadedGemm::ThreadedGemm(const x86::OrientedProblem& oriented, ParallelFor parallel_for)
    : problem_(oriented.problem),
      operands_exchanged_(oriented.operands_exchanged),
      parallel_for_(std::move(parallel_for)) {}

Result<std::unique_ptr<ThreadedGemm>> ThreadedGemm::build(const Problem& problem,
                                                          const GemmConfig& config,
                                                          x86::KernelCache& kernels,
                                                          ParallelFor parallel_for) {
  TRIODE_TRY(problem.validate());
  const x86::OrientedProblem oriented = x86::orient(problem);
  TRIODE_TRY(check_supported(oriented.problem, axis_of(oriented.problem, config)));
  std::unique_ptr<ThreadedGemm> gemm(new ThreadedGemm(oriented, std::move(parallel_for)));
  TRIODE_TRY(gemm->build_parts(config, kernels));
  return gemm;
}

Status ThreadedGemm::build_parts(const GemmConfig& config, x86::KernelCache& kernels) {
  const Axis axis = axis_of(problem_, config);
  const std::vector<Extent> extents = partition(
      size_along(problem_, axis), granule_of(problem_, config, axis), std::max(1, config.threads));
  if (extents.size() < 2) {
    return unsupported("There is too little of " + to_string(problem_) + " to share out over " +
                       std::to_string(config.threads) + " threads this way: use fewer.");
  }
  streams_ = config.stores == StoreKind::kStreaming;
  if (axis == Axis::kDepth) TRIODE_TRY(reserve_partials(static_cast<int>(extents.size()) - 1));
  for (const Extent& extent : extents) {
    Part part = part_of(axis, extent);
    GemmConfig part_config = config;
    part_config.threads = 1;
    if (axis == Axis::kDepth && extent.begin > 0) {
      make_partial(part);
      part_config.stores = StoreKind::kNormal;  // what they write is read again at once
    }
    TRIODE_TRY(add_part(std::move(part), part_config, kernels));
  }
  return {};
}

ThreadedGemm::Part ThreadedGemm::part_of(Axis axis, const Extent& extent) const {
  Part part;
  part.problem = problem_;
  part.problem.threads = 1;
  size_along(part.problem, axis) = extent.size;
  const Strides strides = strides_along(problem_, axis);
  part.a_offset_bytes = strides.a * extent.begin * size_bytes(problem_.a_type);
  part.b_offset_bytes = strides.b * extent.begin * size_bytes(problem_.b_type);
  part.c_offset_bytes = strides.c * extent.begin * size_bytes(problem_.c_type);
  for (const int64_t offset : {part.a_offset_bytes, part.b_offset_bytes, part.c_offset_bytes}) {
    part.problem.alignment_bytes = alignment_after(part.problem.alignment_bytes, offset);
  }
  return part;
}

void ThreadedGemm::make_partial(Part& part) const {
  part.is_partial = true;
  part.problem.ldc = partial_ld_;
  if (problem_.op == Op::kBmm) part.problem.c_batch_stride = problem_.m * partial_ld_;
  part.problem.beta = ScalarClass::kZero;
  part.c_offset_bytes = static_cast<int64_t>(parts_.size() - 1) * partial_bytes_;
}

// The partial products lie at the start of the workspace, one behind the other.
Status ThreadedGemm::reserve_partials(int count) {
  partial_ld_ = partial_ld(problem_);
  const double element = static_cast<double>(size_bytes(problem_.c_type));
  const double bytes = element * static_cast<double>(partial_ld_) *
                       static_cast<double>(problem_.m) * static_cast<double>(problem_.batch);
  if (bytes * count > kMaxPartialBytes) {
    return unsupported("The partial products of " + to_string(problem_) + " in " +
                       std::to_string(count + 1) +
                       " parts of k take more than 256 MiB: share out rows or columns.");
  }
  partial_bytes_ = static_cast<int64_t>(bytes);
  reserve(static_cast<size_t>(partial_bytes_ * count));
  return {};
}

size_t ThreadedGemm::reserve(size_t size_bytes) {
  const size_t offset = workspace_bytes_;
  workspace_bytes_ +=
      (size_bytes + kWorkspaceAlignment - 1) / kWorkspaceAlignment * kWorkspaceAlignment;
  return offset;
}

Status ThreadedGemm::add_part(Part part, const GemmConfig& config, x86::KernelCache& kernels) {
  const auto same = std::find_if(parts_.begin(), parts_.end(), [&](const Part& other) {
    return other.is_partial == part.is_partial && other.problem == part.problem;
  });
  if (same != parts_.end()) {
    part.program = same->program;
  } else {
    part.program = TRIODE_TRY(GemmProgram::build(part.problem, config, kernels));
    code_bytes_ += part.program->code_bytes();
  }
  part.workspace_offset_bytes = static_cast<int64_t>(reserve(part.program->workspace_bytes()));
  const std::array<uint64_t, 4> identity{
      part.program->digest(), static_cast<uint64_t>(part.a_offset_bytes),
      static_cast<uint64_t>(part.b_offset_bytes), static_cast<uint64_t>(part.c_offset_bytes)};
  digest_ = hash_bytes({reinterpret_cast<const char*>(identity.data()), sizeof identity}, digest_);
  parts_.push_back(std::move(part));
  return {};
}

void ThreadedGemm::run(const Operands& operands, void* workspace) const noexcept {
  Call call{*this, operands, workspace};
  if (operands_exchanged_) std::swap(call.operands.a, call.operands.b);
  parallel_for_(
      parts(),
      [](void* context, int part) {
        const Call& the_call = *static_cast<const Call*>(context);
        the_call.gemm.run_part(the_call, part);
      },
      &call);
  if (!parts_.back().is_partial) return;

  if (problem_.batch * problem_.m * problem_.n < kMinElementsToShare) {
    add_partials(call, 0);
    return;
  }
  call.sum_parts = parts();
  parallel_for_(
      call.sum_parts,
      [](void* context, int part) {
        const Call& the_call = *static_cast<const Call*>(context);
        the_call.gemm.add_partials(the_call, part);
      },
      &call);
}

void ThreadedGemm::run_part(const Call& call, int index) const {
  const Part& part = parts_[static_cast<size_t>(index)];
  Operands operands = call.operands;
  operands.a = shifted(operands.a, part.a_offset_bytes);
  operands.b = shifted(operands.b, part.b_offset_bytes);
  operands.c = shifted(part.is_partial ? call.workspace : operands.c, part.c_offset_bytes);
  if (part.is_partial) operands.beta = 0;
  part.program->run(operands, shifted(call.workspace, part.workspace_offset_bytes));
  if (streams_) _mm_sfence();
}

// Adds the partial products of one share of the rows of all matrices to c.
void ThreadedGemm::add_partials(const Call& call, int index) const {
  const int64_t element = size_bytes(problem_.c_type);
  const int64_t rows = problem_.batch * problem_.m;
  const int64_t end = rows * (index + 1) / call.sum_parts;
  for (int64_t row = rows * index / call.sum_parts; row < end; ++row) {
    const int64_t c_offset =
        row / problem_.m * problem_.c_batch_stride + row % problem_.m * problem_.ldc;
    std::byte* const c = shifted(call.operands.c, c_offset * element);
    for (const Part& part : parts_) {
      if (!part.is_partial) continue;
      const int64_t offset = part.c_offset_bytes + row * partial_ld_ * element;
      add_to_row(problem_.c_type, c, shifted(call.workspace, offset), problem_.n);
    }
  }
}

}  // namespace triode
