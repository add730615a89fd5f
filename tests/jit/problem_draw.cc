// SPDX-License-Identifier: Apache-2.0
#include "tests/jit/problem_draw.h"

#include <array>

namespace triode {
namespace {

template <size_t kCount>
int64_t pick(const std::array<int64_t, kCount>& values, Random& random) {
  return values[random.below(kCount)];
}

int64_t draw_leading_dimension(int64_t least, Random& random) {
  constexpr int64_t kPageElements = 1024;
  constexpr std::array<int64_t, 6> kGaps = {0, 0, 1, 3, 8, -1};
  const int64_t gap = pick(kGaps, random);
  return gap < 0 ? (least + kPageElements - 1) / kPageElements * kPageElements : least + gap;
}

}  // namespace

int64_t draw_size(Random& random) {
  constexpr std::array<int64_t, 15> kSmall = {1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 48, 63, 65};
  // Past 48 rows, 192 columns and 128 steps the space has blocks.
  constexpr std::array<int64_t, 3> kBlocked = {100, 130, 197};
  constexpr uint64_t kLargestPlain = 130;
  switch (random.below(5)) {
    case 0:
      return pick(kBlocked, random);
    case 1:
      return 1 + static_cast<int64_t>(random.below(kLargestPlain));
    default:
      return pick(kSmall, random);
  }
}

void draw_leading_dimensions(Problem& problem, Random& random) {
  problem.lda = draw_leading_dimension(problem.min_lda(), random);
  problem.ldb = draw_leading_dimension(problem.min_ldb(), random);
  problem.ldc = draw_leading_dimension(problem.min_ldc(), random);
}

void draw_batch(Problem& problem, Random& random) {
  const int64_t a_rows = problem.a_transposed ? problem.k : problem.m;
  const int64_t b_rows = problem.b_transposed ? problem.n : problem.k;
  problem.op = Op::kBmm;
  problem.batch = 2 + static_cast<int64_t>(random.below(2));
  problem.a_batch_stride = a_rows * problem.lda + 5;
  problem.b_batch_stride = b_rows * problem.ldb;
  problem.c_batch_stride = problem.m * problem.ldc + 3;
  switch (random.below(3)) {
    case 0:
      problem.a_batch_stride = 0;
      break;
    case 1:
      problem.b_batch_stride = 0;
      break;
    default:
      problem.c_batch_stride = problem.ldc;
      problem.ldc *= problem.batch;
  }
}

}  // namespace triode
