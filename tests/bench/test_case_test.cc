// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/test_case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>

#include "tests/core/status_matchers.h"

namespace triode::bench {
namespace {

using ::testing::HasSubstr;

// c = alpha * op(a) op(b) + beta * c, element by element.
template <typename T>
void multiply(const Problem& p, const Operands& operands) {
  const auto* a = static_cast<const T*>(operands.a);
  const auto* b = static_cast<const T*>(operands.b);
  auto* c = static_cast<T*>(operands.c);
  for (int64_t z = 0; z < p.batch; ++z) {
    for (int64_t i = 0; i < p.m; ++i) {
      for (int64_t j = 0; j < p.n; ++j) {
        T sum = 0;
        for (int64_t k = 0; k < p.k; ++k) {
          sum += a[z * p.a_batch_stride + (p.a_transposed ? k * p.lda + i : i * p.lda + k)] *
                 b[z * p.b_batch_stride + (p.b_transposed ? j * p.ldb + k : k * p.ldb + j)];
        }
        T& out = c[z * p.c_batch_stride + i * p.ldc + j];
        out = static_cast<T>(operands.alpha) * sum +
              (operands.beta == 0 ? T{0} : static_cast<T>(operands.beta) * out);
      }
    }
  }
}

Outcome check_right(const char* text) {
  const Problem problem = parse_problem(text).take();
  const auto test_case = TestCase::make(problem, 1).take();
  test_case->reset_c();
  if (problem.c_type == DType::kF32) {
    multiply<float>(problem, test_case->operands());
  } else {
    multiply<double>(problem, test_case->operands());
  }
  return test_case->check();
}

TEST(TestCase, AcceptsRightResultsForAllTransposesTypesAndScalars) {
  for (const char* text : {"mm f32 5x6x7 nn", "mm f32 5x6x7 nt", "mm f32 5x6x7 tn",
                           "mm f64 5x6x7 tt", "mm f32 5x6x7 nn beta=1",
                           "mm f64 5x6x7 nn alpha=other beta=other", "mm f32 5x6x7 nn ld=9,10,11",
                           "bmm f32 3x5x6x7 nt", "bmm f32 2x3x4x5 nn ld=10,8,8 strides=5,4,4"}) {
    EXPECT_EQ(check_right(text), Outcome{}) << text;
  }
}

TEST(TestCase, RefusesAnUntouchedResult) {
  const auto test_case = TestCase::make(Problem::mm(DType::kF32, 4, 4, 4), 1).take();
  test_case->reset_c();
  EXPECT_EQ(test_case->check().kind, OutcomeKind::kWrongResult);
}

TEST(TestCase, RefusesOneElementThatIsOffByAnEighthOfAnEighth) {
  const Problem problem = Problem::mm(DType::kF32, 40, 40, 1000);
  const auto test_case = TestCase::make(problem, 1).take();
  multiply<float>(problem, test_case->operands());
  static_cast<float*>(test_case->operands().c)[777] += 1.0F / 64;
  EXPECT_EQ(test_case->check().kind, OutcomeKind::kWrongResult);
}

// What a right call leaves, but for one element of c.
Outcome check_with_written(const char* text, int64_t element) {
  const Problem problem = parse_problem(text).take();
  const auto test_case = TestCase::make(problem, 1).take();
  multiply<float>(problem, test_case->operands());
  static_cast<float*>(test_case->operands().c)[element] = 0;
  return test_case->check();
}

TEST(TestCase, RefusesAWriteBetweenRowsAndBetweenMatrices) {
  const char* const rows = "mm f32 3x6x7 nn ld=9,10,11";
  const char* const matrices = "bmm f32 2x3x6x7 nn ld=7,6,6 strides=21,42,20";
  for (const int64_t element : {6, 10, 17, 28}) {
    EXPECT_THAT(check_with_written(rows, element).reason, HasSubstr("in a gap")) << element;
  }
  for (const int64_t element : {18, 19}) {
    EXPECT_THAT(check_with_written(matrices, element).reason, HasSubstr("in a gap")) << element;
  }
  EXPECT_EQ(check_with_written(rows, 11).kind, OutcomeKind::kWrongResult);
}

TEST(TestCase, RefusesTheVeryLastElement) {
  EXPECT_EQ(check_with_written("mm f32 41x50x7 nn", 41 * 50 - 1).kind, OutcomeKind::kWrongResult);
}

TEST(TestCase, PlacesOperandsAtTheProblemsAlignmentAndNoBetter) {
  Problem problem = Problem::mm(DType::kF32, 4, 4, 4);
  problem.alignment_bytes = 16;
  const auto test_case = TestCase::make(problem, 1).take();
  EXPECT_EQ(reinterpret_cast<uintptr_t>(test_case->operands().a) % 32, 16u);
}

// Bytes of data this process has, which RLIMIT_DATA is about.
rlim_t data_bytes() {
  std::ifstream file("/proc/self/statm");
  rlim_t pages = 0;
  for (int field = 0; field < 6; ++field) file >> pages;
  return pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

// With 96 MiB more than there is: c of 64 MiB is there, its right result in f64 of 128 MiB is not.
TEST(TestCase, IsRefusedWithoutMemoryForItsRightResult) {
  const auto make_in_little_memory = [] {
    const rlimit little{data_bytes() + (96 << 20), RLIM_INFINITY};
    if (setrlimit(RLIMIT_DATA, &little) != 0) std::_Exit(2);
    const auto made = TestCase::make(Problem::mm(DType::kF32, 4096, 4096, 1), 1);
    const bool is_told = !made.ok() && made.status().code() == StatusCode::kResourceExhausted &&
                         made.status().message().find("right result") != std::string::npos;
    std::_Exit(is_told ? 0 : 1);
  };
  EXPECT_EXIT(make_in_little_memory(), ::testing::ExitedWithCode(0), "");
}

TEST(TestCase, RefusesTypesItCannotCheck) {
  EXPECT_THAT(TestCase::make(Problem::mm(DType::kBF16, 4, 4, 4), 1),
              FailsWith(StatusCode::kUnsupported, HasSubstr("only f32 and f64")));
}

}  // namespace
}  // namespace triode::bench
