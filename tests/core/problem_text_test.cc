// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "core/problem.h"
#include "tests/core/random_problem.h"
#include "tests/core/status_matchers.h"
#include "tests/core/text_mutation.h"

namespace triode {
namespace {

// A round trip that loses nothing, and the text that made it.
void expect_text(const Problem& problem, std::string_view text) {
  EXPECT_EQ(to_string(problem), text);
  const Result<Problem> parsed = parse_problem(text);
  ASSERT_TRUE(parsed.ok()) << parsed.status().to_string();
  EXPECT_EQ(*parsed, problem);
}

void expect_error(std::string_view text, const std::string& message) {
  EXPECT_THAT(parse_problem(text), FailsWith(StatusCode::kInvalidArgument, message));
}

TEST(ProblemText, ShortestForm) {
  expect_text(Problem::mm(DType::kF32, 50, 60, 70), "mm f32 50x60x70 nn");
}

TEST(ProblemText, WholeCacheLinesPrintAsAligned) {
  expect_text(Problem::mm(DType::kF32, 512, 512, 512, false, true),
              "mm f32 512x512x512 nt ld-aligned");
}

TEST(ProblemText, PaddingToCacheLinesPrintsAsAligned) {
  Problem problem = Problem::mm(DType::kF32, 50, 60, 70, true, false);
  problem.lda = 64;
  problem.ldb = 64;
  problem.ldc = 64;
  expect_text(problem, "mm f32 50x60x70 tn ld-aligned");
}

TEST(ProblemText, OtherLeadingDimensionsPrintAsNumbers) {
  Problem problem = Problem::mm(DType::kF32, 50, 60, 70, true, true);
  problem.lda = 51;
  expect_text(problem, "mm f32 50x60x70 tt ld=51,70,60");
}

TEST(ProblemText, MixedTypesPrintAllFour) {
  Problem problem = Problem::mm(DType::kBF16, 50, 60, 70);
  problem.c_type = DType::kF32;
  expect_text(problem, "mm bf16,bf16,f32,f32 50x60x70 nn");
}

TEST(ProblemText, UnusualAccumulatorPrintsAllFourTypes) {
  Problem problem = Problem::mm(DType::kF16, 50, 60, 70);
  problem.accumulator = DType::kF16;
  expect_text(problem, "mm f16,f16,f16,f16 50x60x70 nn");
}

TEST(ProblemText, BmmPutsTheBatchFirst) {
  Problem problem = Problem::mm(DType::kF32, 50, 60, 70);
  problem.op = Op::kBmm;
  problem.batch = 8;
  problem.make_tight();
  expect_text(problem, "bmm f32 8x50x60x70 nn");
  problem.b_batch_stride = 0;
  expect_text(problem, "bmm f32 8x50x60x70 nn strides=3500,0,3000");
}

TEST(ProblemText, EveryOptionInOrder) {
  Problem problem = Problem::mm(DType::kF64, 5, 6, 7);
  problem.op = Op::kAddmm;
  problem.ldc = 9;
  problem.alignment_bytes = 16;
  problem.epilogue = Epilogue::kBiasGelu;
  problem.alpha = ScalarClass::kOther;
  problem.beta = ScalarClass::kMinusOne;
  problem.threads = 8;
  expect_text(problem,
              "addmm f64 5x6x7 nn ld=7,6,9 align=16 epilogue=bias-gelu alpha=other beta=-1 "
              "threads=8");
}

TEST(ProblemText, EmptyProblemHasAText) {
  expect_text(Problem::mm(DType::kF32, 0, 0, 0), "mm f32 0x0x0 nn ld-aligned");
}

TEST(ProblemText, LdTightIsTheDefaultSpelledOut) {
  EXPECT_EQ(parse_problem("mm f32 50x60x70 nn ld-tight").value(),
            Problem::mm(DType::kF32, 50, 60, 70));
}

TEST(ProblemText, DefaultsMayBeSpelledOutInAnyOrder) {
  EXPECT_EQ(parse_problem("mm f32,f32,f32,f32 50x60x70 nn threads=1 beta=0 alpha=1 epilogue=none "
                          "align=64 strides=0,0,0 ld=70,60,60")
                .value(),
            Problem::mm(DType::kF32, 50, 60, 70));
}

TEST(ProblemText, StridesFollowALeadingDimensionGivenAfterThem) {
  const Problem problem = parse_problem("bmm f32 2x5x6x7 nn threads=2 ld=10,20,30").value();
  EXPECT_EQ(problem.a_batch_stride, 50);
  EXPECT_EQ(problem.b_batch_stride, 140);
  EXPECT_EQ(problem.c_batch_stride, 150);
}

TEST(ProblemText, WhiteSpaceIsFree) {
  EXPECT_EQ(parse_problem("  mm\tf32   50x60x70 nn \r\n").value(),
            Problem::mm(DType::kF32, 50, 60, 70));
}

TEST(ProblemText, RandomProblemsRoundTrip) {
  Random random(1);
  for (int i = 0; i < 20000; ++i) {
    const Problem problem = random_problem(random);
    const std::string text = to_string(problem);
    const Result<Problem> parsed = parse_problem(text);
    ASSERT_TRUE(parsed.ok()) << text << ": " << parsed.status().to_string();
    ASSERT_EQ(*parsed, problem) << text;
  }
}

TEST(ProblemText, MutatedTextsParseToValidProblemsOrGiveAnError) {
  Random random(2);
  int accepted = 0;
  for (int i = 0; i < 30000; ++i) {
    const std::string text = mutated(to_string(random_problem(random)), random);
    const Result<Problem> parsed = parse_problem(text);
    if (!parsed.ok()) {
      ASSERT_THAT(parsed, FailsWith(StatusCode::kInvalidArgument,
                                    ::testing::StartsWith("problem text, column ")));
      continue;
    }
    ++accepted;
    ASSERT_TRUE(parsed->validate().ok()) << text;
    ASSERT_EQ(parse_problem(to_string(*parsed)).value(), *parsed) << text;
  }
  // Both branches were taken, or the test says nothing.
  EXPECT_GT(accepted, 1000);
  EXPECT_LT(accepted, 29000);
}

TEST(ProblemText, PrintingAnInvalidProblemIsHarmless) {
  Problem problem;
  problem.op = static_cast<Op>(77);
  problem.m = problem.n = problem.k = INT64_MIN;
  EXPECT_EQ(to_string(problem).substr(0, 28), "? f32 -9223372036854775808x-");
}

TEST(ProblemTextError, EndsTooEarly) {
  expect_error("",
               "problem text, column 1: the text ends too early; expected an op: mm, bmm or addmm");
  expect_error(
      "mm",
      "problem text, column 3: the text ends too early; expected a type, like f32, or four "
      "for a,b,c,accumulator");
  expect_error(
      "mm f32 ",
      "problem text, column 7: the text ends too early; expected sizes; mm takes m x n x k, "
      "like 512x512x512");
  expect_error(
      "mm f32 1x2x3",
      "problem text, column 13: the text ends too early; expected transposes: nn, nt, tn or "
      "tt");
}

TEST(ProblemTextError, UnknownOp) {
  expect_error(" gemm f32",
               "problem text, column 2: \"gemm\" is not an op; expected mm, bmm or addmm");
}

TEST(ProblemTextError, UnknownTypePointsAtTheOneOfFour) {
  expect_error("mm f32,f33,f32,f32 1x1x1 nn",
               "problem text, column 8: \"f33\" is not a type; expected f32, f64, f16, bf16, tf32, "
               "f8e4m3, i8 or i32");
}

TEST(ProblemTextError, WrongNumberOfTypes) {
  expect_error("mm f32,f32 1x1x1 nn",
               "problem text, column 4: \"f32,f32\" has 2 types; expected one, like f32, or "
               "a,b,c,accumulator, like bf16,bf16,f32,f32");
}

TEST(ProblemTextError, WrongNumberOfSizes) {
  expect_error("mm f32 512x512",
               "problem text, column 8: \"512x512\" has 2 sizes; mm takes m x n x k, like "
               "512x512x512");
  expect_error("mm f32 512",
               "problem text, column 8: \"512\" has 1 size; mm takes m x n x k, like 512x512x512");
  expect_error("bmm f32 1x2x3",
               "problem text, column 9: \"1x2x3\" has 3 sizes; bmm takes batch x m x n x k, like "
               "8x512x512x512");
}

TEST(ProblemTextError, BadSizePointsAtIt) {
  expect_error("mm f32 512x-1x512 nn",
               "problem text, column 12: \"-1\" is not a whole number; expected 0 to "
               "9223372036854775807");
  expect_error("mm f32 1x1x99999999999999999999 nn",
               "problem text, column 12: \"99999999999999999999\" is too large; expected 0 to "
               "9223372036854775807");
}

TEST(ProblemTextError, SizesWhoseProductIsOutOfRange) {
  expect_error(
      "mm f32 4294967296x4294967296x1 nn",
      "problem text, column 8: \"4294967296x4294967296x1\" is not possible: operand c spans "
      "more than 9223372036854775807 bytes; expected smaller sizes or strides");
}

TEST(ProblemTextError, BadTransposes) {
  expect_error(
      "mm f32 1x2x3 nx",
      "problem text, column 14: \"nx\" does not say what is transposed; expected nn, nt, tn "
      "or tt, for a then b");
  expect_error(
      "mm f32 1x2x3 threads=2",
      "problem text, column 14: \"threads=2\" does not say what is transposed; expected nn, "
      "nt, tn or tt, for a then b");
}

TEST(ProblemTextError, UnknownOption) {
  for (const std::string token : {"thread=2", "ld", "ld-loose", "threads", "=", "ld-tight=1"}) {
    expect_error("mm f32 1x2x3 nn " + token,
                 "problem text, column 17: \"" + token +
                     "\" is not an option; expected ld-tight, ld-aligned, ld=a,b,c, strides=a,b,c, "
                     "align=, epilogue=, alpha=, beta= or threads=");
  }
}

TEST(ProblemTextError, RepeatedOption) {
  expect_error(
      "mm f32 1x2x3 nn threads=2 threads=2",
      "problem text, column 27: \"threads=2\" repeats \"threads=2\" of column 17; expected "
      "threads once");
  expect_error(
      "mm f32 1x2x3 nn ld-tight ld=3,2,2",
      "problem text, column 26: \"ld=3,2,2\" repeats \"ld-tight\" of column 17; expected ld "
      "once");
}

TEST(ProblemTextError, BadOptionValuePointsAtIt) {
  expect_error("mm f32 1x2x3 nn ld=3,2",
               "problem text, column 20: \"3,2\" has 2 numbers; expected three, for a,b,c");
  expect_error("mm f32 1x2x3 nn ld=3,b,2",
               "problem text, column 22: \"b\" is not a whole number; expected 0 to "
               "9223372036854775807");
  expect_error("mm f32 1x2x3 nn threads=2147483648",
               "problem text, column 25: \"2147483648\" is too large; expected 0 to 2147483647");
  expect_error("mm f32 1x2x3 nn beta=2",
               "problem text, column 22: \"2\" is not a scalar class; expected 0, 1, -1 or other");
  expect_error(
      "mm f32 1x2x3 nn epilogue=tanh",
      "problem text, column 26: \"tanh\" is not an epilogue; expected none, bias, relu, gelu, "
      "silu, bias-relu, bias-gelu or bias-silu");
}

TEST(ProblemTextError, ImpossibleOptionPointsAtItsToken) {
  expect_error(
      "mm f32 1x2x3 nn align=16 ld=2,2,2",
      "problem text, column 26: \"ld=2,2,2\" is not possible: lda is 2, but a stored row of a "
      "has 3 elements; expected at least that");
  expect_error(
      "mm f32 1x2x3 nn align=24",
      "problem text, column 17: \"align=24\" is not possible: alignment is 24 bytes; expected "
      "1, 2, 4, 8, 16, 32 or 64");
  expect_error("mm f32 1x2x3 nn threads=0",
               "problem text, column 17: \"threads=0\" is not possible: threads is 0; expected at "
               "least 1");
  expect_error(
      "mm f32 1x2x3 nn strides=1,2,3",
      "problem text, column 17: \"strides=1,2,3\" is not possible: a_batch_stride is 1, but "
      "mm has no batch; expected 0");
}

TEST(ProblemText, ScalarClassesAndEpiloguesHaveNames) {
  EXPECT_EQ(to_string(ScalarClass::kZero), "0");
  EXPECT_EQ(to_string(ScalarClass::kMinusOne), "-1");
  EXPECT_EQ(to_string(ScalarClass::kOther), "other");
  EXPECT_EQ(to_string(Epilogue::kNone), "none");
  EXPECT_EQ(to_string(Epilogue::kBiasSilu), "bias-silu");
}

}  // namespace
}  // namespace triode
