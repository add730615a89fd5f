// SPDX-License-Identifier: Apache-2.0
#include "core/problem.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "core/enum_names.h"
#include "core/problem_fault.h"
#include "core/problem_layout.h"

namespace triode {
namespace {

constexpr EnumNames<LdClass, 4> kLdClasses = {"a layout",
                                              {"aligned", "tight", "padded", "conflict"}};

// Addresses this far apart fall into the same set of a 64-set first-level cache.
constexpr int64_t kConflictBytes = 4096;

// Whether a step of this many elements is whole multiples of `unit_bytes`, a multiple of the
// element.
bool steps_by(int64_t elements, int64_t element_size_bytes, int64_t unit_bytes) {
  return elements % (unit_bytes / element_size_bytes) == 0;
}

// Layout of one operand. A single row has no pitch, so whatever its leading dimension is, it
// neither conflicts nor crosses lines on that account.
struct OperandLayout {
  int64_t rows;
  int64_t columns;
  int64_t ld;
  int64_t matrix_step;  // to the next matrix of a batch; 0 if there is none
  int64_t bytes;        // of an element

  bool conflicts() const { return rows > 1 && ld > 0 && steps_by(ld, bytes, kConflictBytes); }
  bool keeps_to_lines() const {
    return (rows <= 1 || steps_by(ld, bytes, kCacheLineBytes)) &&
           steps_by(matrix_step, bytes, kCacheLineBytes);
  }
  bool is_tight() const { return rows <= 1 || ld == columns; }
};

std::array<OperandLayout, 3> layouts_of(const Problem& problem) {
  const PerOperand rows = stored_rows(problem);
  const PerOperand columns = stored_columns(problem);
  const PerOperand lds = leading_dimensions(problem);
  const PerOperand steps = problem.batch > 1 ? batch_strides(problem) : PerOperand{};
  const PerOperand bytes = element_bytes(problem);
  std::array<OperandLayout, 3> layouts{};
  for (size_t i = 0; i < layouts.size(); ++i) {
    layouts[i] = {rows[i], columns[i], lds[i], steps[i], bytes[i]};
  }
  return layouts;
}

// Bytes of one operand over the whole batch; a stride of 0 names the same matrix again.
double operand_bytes(int64_t rows, int64_t columns, int64_t batch, int64_t stride, DType dtype) {
  const int64_t matrices = stride == 0 ? std::min<int64_t>(batch, 1) : batch;
  return static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(matrices) *
         static_cast<double>(size_bytes(dtype));
}

}  // namespace

Problem Problem::mm(DType dtype, int64_t m, int64_t n, int64_t k, bool a_transposed,
                    bool b_transposed) {
  Problem problem;
  problem.m = m;
  problem.n = n;
  problem.k = k;
  problem.a_type = problem.b_type = problem.c_type = dtype;
  problem.accumulator = default_accumulator(dtype);
  problem.a_transposed = a_transposed;
  problem.b_transposed = b_transposed;
  problem.make_tight();
  return problem;
}

void Problem::make_tight() {
  set_leading_dimensions(stored_columns(*this), *this);
  set_batch_strides(default_batch_strides(*this), *this);
}

LdClass Problem::ld_class() const {
  const std::array<OperandLayout, 3> layouts = layouts_of(*this);
  const auto any = [&](auto predicate) {
    return std::any_of(layouts.begin(), layouts.end(), predicate);
  };
  const auto all = [&](auto predicate) {
    return std::all_of(layouts.begin(), layouts.end(), predicate);
  };
  // Conflict first: a pitch of whole pages is also one of whole lines, and the worse news decides.
  if (any([](const OperandLayout& operand) { return operand.conflicts(); }))
    return LdClass::kConflict;
  if (alignment_bytes >= kCacheLineBytes &&
      all([](const OperandLayout& operand) { return operand.keeps_to_lines(); })) {
    return LdClass::kAligned;
  }
  return all([](const OperandLayout& operand) { return operand.is_tight(); }) ? LdClass::kTight
                                                                              : LdClass::kPadded;
}

double Problem::bytes() const {
  const double c_touches = beta == ScalarClass::kZero ? 1 : 2;
  return operand_bytes(m, k, batch, a_batch_stride, a_type) +
         operand_bytes(k, n, batch, b_batch_stride, b_type) +
         c_touches * operand_bytes(m, n, batch, c_batch_stride, c_type);
}

Status Problem::validate() const {
  if (std::optional<ProblemFault> fault = find_fault(*this)) {
    return invalid_argument("problem: " + std::move(fault->message));
  }
  return {};
}

Problem from_column_major(const Problem& problem) {
  Problem exchanged = problem;
  std::swap(exchanged.m, exchanged.n);
  std::swap(exchanged.a_type, exchanged.b_type);
  std::swap(exchanged.a_transposed, exchanged.b_transposed);
  std::swap(exchanged.lda, exchanged.ldb);
  std::swap(exchanged.a_batch_stride, exchanged.b_batch_stride);
  return exchanged;
}

ScalarClass classify_scalar(double value) {
  if (value == 0) return ScalarClass::kZero;
  if (value == 1) return ScalarClass::kOne;
  if (value == -1) return ScalarClass::kMinusOne;
  return ScalarClass::kOther;
}

std::string_view to_string(LdClass ld_class) {
  return kLdClasses.name_of(ld_class);
}

}  // namespace triode
