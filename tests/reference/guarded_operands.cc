// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/guarded_operands.h"

#include <bit>
#include <utility>

#include "tests/reference/fault_trap.h"

namespace triode {
namespace {

// Problem::alignment_bytes counts no further.
constexpr uintptr_t kLargestAlignment = 64;

MatrixShape shape_of_a(const Problem& problem) {
  const auto [rows, columns] =
      problem.a_transposed ? std::pair(problem.k, problem.m) : std::pair(problem.m, problem.k);
  return {rows, columns, problem.lda, problem.batch, problem.a_batch_stride};
}

MatrixShape shape_of_b(const Problem& problem) {
  const auto [rows, columns] =
      problem.b_transposed ? std::pair(problem.n, problem.k) : std::pair(problem.k, problem.n);
  return {rows, columns, problem.ldb, problem.batch, problem.b_batch_stride};
}

MatrixShape shape_of_c(const Problem& problem) {
  return {problem.m, problem.n, problem.ldc, problem.batch, problem.c_batch_stride};
}

}  // namespace

GuardedOperands::GuardedOperands(const Problem& problem, Guard guard, uint64_t seed,
                                 size_t offset_bytes)
    : a_(problem.a_type, shape_of_a(problem), guard, offset_bytes),
      b_(problem.b_type, shape_of_b(problem), guard, offset_bytes),
      c_(problem.c_type, shape_of_c(problem), guard, offset_bytes) {
  a_.fill(3 * seed);
  b_.fill(3 * seed + 1);
  c_.fill(3 * seed + 2);
}

Operands GuardedOperands::operands(double alpha, double beta) {
  return {a_.data(), b_.data(), c_.data(), alpha, beta};
}

int32_t GuardedOperands::alignment_bytes() {
  const uintptr_t bits = reinterpret_cast<uintptr_t>(a_.data()) |
                         reinterpret_cast<uintptr_t>(b_.data()) |
                         reinterpret_cast<uintptr_t>(c_.data()) | kLargestAlignment;
  return int32_t{1} << std::countr_zero(bits);
}

std::optional<std::string> GuardedOperands::find_trespass(const std::function<void()>& call) {
  a_.memory().forbid_writes();
  b_.memory().forbid_writes();
  const std::optional<Fault> fault = trap_fault(call);
  a_.memory().allow_writes();
  b_.memory().allow_writes();
  if (fault.has_value()) return fault->to_string() + ", " + describe(fault->address);
  if (const auto damage = c_.damage()) return "c: " + *damage;
  return std::nullopt;
}

std::string GuardedOperands::describe(uintptr_t address) const {
  for (const auto& [name, matrix] :
       {std::pair("a", &a_), std::pair("b", &b_), std::pair("c", &c_)}) {
    const GuardedMemory& memory = matrix->memory();
    if (memory.is_near(address)) return std::string(name) + ": " + memory.locate(address);
  }
  return "in none of the operands (0: a misaligned vector access or a wild pointer)";
}

}  // namespace triode
