// SPDX-License-Identifier: Apache-2.0
#include "tests/core/random_problem.h"

#include "core/problem_layout.h"

namespace triode {
namespace {

int64_t number_below(Random& random, uint64_t bound) {
  return static_cast<int64_t>(random.below(bound));
}

bool one_in(Random& random, uint64_t n) {
  return random.below(n) == 0;
}

// Mostly everyday sizes, some of them whole cache lines long, some 0 or 1, some huge.
int64_t random_size(Random& random) {
  switch (random.below(5)) {
    case 0:
      return number_below(random, 3);
    case 1:
      return 16 * number_below(random, 300);
    case 2:
      return number_below(random, uint64_t{1} << 20);
    default:
      return number_below(random, 5000);
  }
}

DType random_dtype(Random& random) {
  return static_cast<DType>(random.below(8));
}

void choose_dtypes(Random& random, Problem& problem) {
  problem.a_type = problem.b_type = problem.c_type = random_dtype(random);
  problem.accumulator = default_accumulator(problem.a_type);
  if (one_in(random, 2)) return;
  problem.b_type = random_dtype(random);
  problem.c_type = random_dtype(random);
  problem.accumulator = random_dtype(random);
}

void choose_leading_dimensions(Random& random, Problem& problem) {
  PerOperand lds = stored_columns(problem);
  if (one_in(random, 3)) lds = aligned_leading_dimensions(problem);
  if (one_in(random, 3)) {
    for (int64_t& ld : lds) ld += number_below(random, 100);
  }
  set_leading_dimensions(lds, problem);
}

void choose_strides(Random& random, Problem& problem) {
  PerOperand strides = default_batch_strides(problem);
  if (problem.op == Op::kBmm && one_in(random, 2)) {
    strides[0] = one_in(random, 2) ? 0 : number_below(random, uint64_t{1} << 30);
    strides[1] = one_in(random, 2) ? 0 : number_below(random, uint64_t{1} << 30);
    strides[2] = 1 + number_below(random, uint64_t{1} << 30);
  }
  set_batch_strides(strides, problem);
}

}  // namespace

Problem random_problem(Random& random) {
  Problem problem;
  problem.op = static_cast<Op>(random.below(3));
  if (problem.op == Op::kBmm) problem.batch = number_below(random, 300);
  problem.m = random_size(random);
  problem.n = random_size(random);
  problem.k = random_size(random);
  choose_dtypes(random, problem);
  problem.a_transposed = one_in(random, 2);
  problem.b_transposed = one_in(random, 2);
  choose_leading_dimensions(random, problem);
  choose_strides(random, problem);
  if (one_in(random, 2)) problem.alignment_bytes = 1 << random.below(7);
  if (one_in(random, 2)) problem.epilogue = static_cast<Epilogue>(random.below(8));
  if (one_in(random, 2)) problem.alpha = static_cast<ScalarClass>(random.below(4));
  if (one_in(random, 2)) problem.beta = static_cast<ScalarClass>(random.below(4));
  if (one_in(random, 2)) problem.threads = 1 + static_cast<int32_t>(random.below(INT32_MAX));
  return problem;
}

}  // namespace triode
