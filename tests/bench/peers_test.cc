// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/peers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/core/status_matchers.h"
#include "tools/bench/comparison.h"

namespace triode::bench {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// The peer every machine set up by tools/setup has.
class OpenblasTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto loaded = load_peer("openblas", "");
    if (!loaded.ok()) GTEST_SKIP() << loaded.status().message();
    peer = std::move(loaded).take();
    peer->set_threads(1);
  }
  std::unique_ptr<Peer> peer;
};

TEST(Peers, LoadMklLast) {
  EXPECT_EQ(peer_names().back(), "mkl");
}

TEST(Peers, MissingOneSaysHowToGetIt) {
  EXPECT_THAT(load_peer("mkl", "/nowhere"),
              FailsWith(StatusCode::kNotFound, HasSubstr("run tools/setup")));
  EXPECT_THAT(load_peer("openblas-new", ""),
              FailsWith(StatusCode::kNotFound, HasSubstr("scipy-openblas32")));
}

TEST(Peers, UnknownNameIsRefused) {
  EXPECT_THAT(load_peer("atlas", ""), FailsWith(StatusCode::kInvalidArgument, HasSubstr("atlas")));
}

// How long a library's threads spin is set for its start alone.
TEST_F(OpenblasTest, IsLoadedWithoutATraceInTheEnvironment) {
  unsetenv("OPENBLAS_THREAD_TIMEOUT");
  ASSERT_TRUE(load_peer("openblas", "").ok());
  EXPECT_EQ(std::getenv("OPENBLAS_THREAD_TIMEOUT"), nullptr);
}

TEST_F(OpenblasTest, IsLoadedWithWhatTheUserHasSet) {
  setenv("OPENBLAS_THREAD_TIMEOUT", "20", 1);
  ASSERT_TRUE(load_peer("openblas", "").ok());
  EXPECT_STREQ(std::getenv("OPENBLAS_THREAD_TIMEOUT"), "20");
  unsetenv("OPENBLAS_THREAD_TIMEOUT");
}

TEST_F(OpenblasTest, ComputesRightForAllTransposesTypesAndBatches) {
  const std::vector<const Peer*> peers = {peer.get()};
  for (const char* text : {"mm f32 5x6x7 nn", "mm f32 5x6x7 nt", "mm f64 5x6x7 tn",
                           "mm f32 5x6x7 tt ld=9,10,11 beta=1", "bmm f32 3x5x6x7 nn"}) {
    const Problem problem = parse_problem(text).take();
    const auto test_case = TestCase::make(problem, 1).take();
    std::vector<LeftOut> left_out;
    EXPECT_THAT(right_peers(peers, problem, *test_case, left_out), SizeIs(1)) << text;
    EXPECT_THAT(left_out, IsEmpty()) << text;
  }
}

TEST_F(OpenblasTest, TellsItsKernelsAndRunsNoneNarrowerThanTheProcessor) {
  EXPECT_FALSE(peer->core().empty());
  EXPECT_NE(peer->core(), "Prescott");
}

TEST_F(OpenblasTest, DoesNotSupportSizesBeyond32Bits) {
  Problem problem = Problem::mm(DType::kF32, 4, 4, 4);
  problem.lda = int64_t{1} << 33;
  EXPECT_FALSE(peer->supports(problem));
}

}  // namespace
}  // namespace triode::bench
