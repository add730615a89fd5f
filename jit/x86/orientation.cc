// SPDX-License-Identifier: Apache-2.0
#include "jit/x86/orientation.h"

#include <utility>

namespace triode::x86 {
namespace {

Problem exchange_operands(const Problem& problem) {
  Problem other = problem;
  std::swap(other.m, other.n);
  std::swap(other.lda, other.ldb);
  std::swap(other.a_batch_stride, other.b_batch_stride);
  other.a_transposed = !problem.b_transposed;
  other.b_transposed = !problem.a_transposed;
  other.ldc = other.n;
  return other;
}

}  // namespace

OrientedProblem orient(const Problem& problem) {
  OrientedProblem oriented{problem, false};
  if (problem.n == 1 && problem.m > 1 && problem.ldc == 1) {
    oriented = {exchange_operands(problem), true};
  }
  Problem& p = oriented.problem;
  if (p.m == 1 && p.a_transposed && p.lda == 1) {
    p.a_transposed = false;
    p.lda = p.k;
  }
  if (p.n == 1 && !p.b_transposed && p.ldb == 1) {
    p.b_transposed = true;
    p.ldb = p.k;
  }
  return oriented;
}

}  // namespace triode::x86
