// SPDX-License-Identifier: Apache-2.0
#include "jit/cuda/triton_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jit/cuda/triton_answer.h"
#include "jit/cuda/triton_space.h"
#include "tests/core/status_matchers.h"

namespace triode::cuda {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kConfig =
    "block_m=32 block_n=32 block_k=32 group_m=1 num_stages=2 num_warps=4 split_k=1 persistent=0 "
    "tma=0";

std::string request_of(const Problem& problem, const std::string& config = kConfig) {
  const auto space = triton_space(problem, {});
  if (!space.ok()) return space.status().to_string();
  const auto parsed = space->parse(config);
  if (!parsed.ok()) return parsed.status().to_string();
  const auto request = triton_request(problem, *parsed, "sm_80");
  return request.ok() ? *request : request.status().to_string();
}

TEST(TritonRequest, PromisesDivisibilityOnlyWhereItHolds) {
  Problem problem = Problem::mm(DType::kF16, 64, 60, 48);
  EXPECT_THAT(request_of(problem), HasSubstr("divisible=a b c workspace m k lda a_stride"));
  problem.alignment_bytes = 8;
  problem.k = problem.lda = 64;
  EXPECT_THAT(request_of(problem), HasSubstr("divisible=workspace m k lda a_stride"));
}

TEST(TritonRequest, PromisesWholeBlocksOfKOnlyWhereTheyAre) {
  EXPECT_THAT(request_of(Problem::mm(DType::kF16, 64, 60, 48)), HasSubstr("even_k=0\n"));
  EXPECT_THAT(request_of(Problem::mm(DType::kF16, 64, 60, 64)), HasSubstr("even_k=1\n"));
}

TEST(TritonRequest, UsesTf32OnlyIfTheProblemSaysSo) {
  EXPECT_THAT(request_of(Problem::mm(DType::kF32, 64, 64, 64)), HasSubstr("operand_type=f32\n"));
  EXPECT_THAT(request_of(Problem::mm(DType::kTF32, 64, 64, 64)), HasSubstr("operand_type=tf32\n"));
}

TEST(TritonRequest, SaysHowTheReductionIsMadeOnlyIfThereIsOne) {
  const Problem problem = Problem::mm(DType::kF16, 64, 64, 512);
  EXPECT_THAT(request_of(problem), Not(HasSubstr("reduce_m")));
  const std::string split =
      "block_m=32 block_n=32 block_k=32 group_m=1 num_stages=2 num_warps=4 split_k=4 persistent=0 "
      "tma=0";
  EXPECT_THAT(request_of(problem, split), HasSubstr("reduce_m"));
}

TEST(TritonRequest, IsTheSameForProblemsThatCanShareAKernel) {
  EXPECT_EQ(request_of(Problem::mm(DType::kF16, 64, 64, 64)),
            request_of(Problem::mm(DType::kF16, 128, 96, 640)));
  EXPECT_NE(request_of(Problem::mm(DType::kF16, 64, 64, 64)),
            request_of(Problem::mm(DType::kF16, 64, 63, 64)));
}

TEST(TritonRequest, RefusesMorePiecesThanBlocksCanBeNumbered) {
  Problem problem = Problem::mm(DType::kF16, 1 << 20, 1 << 20, 16);
  problem.op = Op::kBmm;
  problem.batch = 1024;
  problem.a_batch_stride = problem.b_batch_stride = 0;
  problem.c_batch_stride = 1;
  Config config(9);
  const int values[] = {16, 16, 16, 1, 2, 1, 1, 0, 0};
  for (size_t i = 0; i < config.size(); ++i) config[i] = values[i];
  EXPECT_THAT(triton_request(problem, config, "sm_80"),
              FailsWith(StatusCode::kUnsupported, HasSubstr("larger blocks")));
}

TEST(TritonAnswer, ThatBlamesTheMachineIsNoRefusalOfTheKernel) {
  const std::vector<std::string> frames = {"unavailable=No module named 'triton'\nTraceback"};
  EXPECT_EQ(frames_after(frames[0]).value(), 0u);
  EXPECT_THAT(read_triton_answer(frames),
              FailsWith(StatusCode::kUnavailable, HasSubstr("No module named")));
  EXPECT_THAT(read_triton_toolchain(frames),
              FailsWith(StatusCode::kUnavailable, HasSubstr("No module named")));
}

TEST(TritonAnswer, ThatMakesNoSenseIsRefused) {
  EXPECT_THAT(read_triton_answer({}), FailsWith(StatusCode::kUnavailable, HasSubstr("nothing")));
  EXPECT_THAT(read_triton_answer({"functions=x\n"}),
              FailsWith(StatusCode::kUnavailable, HasSubstr("number")));
  EXPECT_THAT(read_triton_answer({"functions=0\ntoolchain=t\n"}),
              FailsWith(StatusCode::kUnavailable, HasSubstr("no kernel")));
  EXPECT_THAT(read_triton_answer({"functions=1\ntoolchain=t\n"}),
              FailsWith(StatusCode::kUnavailable, HasSubstr("frames")));
  EXPECT_THAT(read_triton_answer({"functions=1\ntoolchain=t\n", "entry=e\n", "", ""}),
              FailsWith(StatusCode::kUnavailable, HasSubstr("threads")));
  EXPECT_THAT(frames_after("functions=1000000\n"),
              FailsWith(StatusCode::kUnavailable, HasSubstr("no answer")));
}

}  // namespace
}  // namespace triode::cuda
