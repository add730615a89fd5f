// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/cpu_gemm_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/status_matchers.h"

namespace triode::bench {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

Result<CpuGemmOptions> parse(const std::vector<std::string>& arguments) {
  return parse_cpu_gemm_options(arguments);
}

auto is_refused(const char* text) {
  return FailsWith(StatusCode::kInvalidArgument, HasSubstr(text));
}

TEST(CpuGemmOptions, DefaultsToOneThreadAllPeersAndEachShapeAsItIs) {
  const CpuGemmOptions options = parse({}).take();
  EXPECT_EQ(options.passes, ThreadPasses::kSingle);
  EXPECT_THAT(options.peers, ElementsAre("openblas", "openblas-new", "blis", "onednn", "mkl"));
  EXPECT_TRUE(options.transposes.empty());
  EXPECT_TRUE(options.isas.empty());
  EXPECT_DOUBLE_EQ(options.budget_s, 4);
}

TEST(CpuGemmOptions, ReadsThreads) {
  EXPECT_EQ(parse({"--threads", "1"}).take().passes, ThreadPasses::kSingle);
  EXPECT_EQ(parse({"--threads", "01"}).take().passes, ThreadPasses::kSingle);
  EXPECT_EQ(parse({"--threads", "all"}).take().passes, ThreadPasses::kMany);
  EXPECT_EQ(parse({"--threads", "both"}).take().passes, ThreadPasses::kBoth);
  EXPECT_EQ(parse({"--threads", "3"}).take().threads, 3);
}

TEST(CpuGemmOptions, RefusesThreadsThatAreNoCount) {
  for (const char* value : {"0", "-1", "two", "99999", "1.5"}) {
    EXPECT_THAT(parse({std::string("--threads=") + value}), is_refused("all, both")) << value;
  }
}

TEST(CpuGemmOptions, ReadsTransposes) {
  EXPECT_THAT(parse({"--transposes", "nt"}).take().transposes, ElementsAre("nt"));
  EXPECT_THAT(parse({"--transposes", "all"}).take().transposes,
              ElementsAre("nn", "nt", "tn", "tt"));
  EXPECT_THAT(parse({"--transposes", "xx"}), is_refused("nt"));
}

TEST(CpuGemmOptions, PutsPeersIntoLoadingOrder) {
  EXPECT_THAT(parse({"--peers", "mkl,blis"}).take().peers, ElementsAre("blis", "mkl"));
  EXPECT_THAT(parse({"--peers", "none"}).take().peers, SizeIs(0));
}

TEST(CpuGemmOptions, RefusesAnUnknownPeerAndNamesTheKnown) {
  EXPECT_THAT(parse({"--peers", "mkl,atlas"}),
              FailsWith(StatusCode::kInvalidArgument,
                        AllOf(HasSubstr("'atlas'"), HasSubstr("openblas-new"))));
}

TEST(CpuGemmOptions, ReadsIsaAndRefusesOthers) {
  EXPECT_THAT(parse({"--isa", "avx512-ymm"}).take().isas, ElementsAre(x86::IsaId::kAvx512Ymm));
  EXPECT_THAT(parse({"--isa", "sse2"}), is_refused("avx512-ymm"));
}

TEST(CpuGemmOptions, RefusesUnknownOptionsSetsAndTypes) {
  EXPECT_THAT(parse({"--frobnicate"}), is_refused("--frobnicate"));
  EXPECT_THAT(parse({"--set", "huge"}), is_refused("reference"));
  EXPECT_THAT(parse({"--dtype", "bf16"}), is_refused("f64"));
  EXPECT_THAT(parse({"extra"}), is_refused("extra"));
}

TEST(CpuGemmOptions, RefusesNumbersOutOfRange) {
  EXPECT_THAT(parse({"--budget", "0"}), is_refused("--budget"));
  EXPECT_THAT(parse({"--rounds", "2"}), is_refused("--rounds"));
  EXPECT_THAT(parse({"--random", "0"}), is_refused("--random"));
  EXPECT_THAT(parse({"--seed", "x"}), is_refused("--seed"));
}

TEST(CpuGemmOptions, DemoChoosesItsOwnShapes) {
  EXPECT_TRUE(parse({"--demo", "--quiet"}).take().demo);
  EXPECT_THAT(parse({"--demo", "--set", "all"}), is_refused("--set"));
}

TEST(CpuGemmOptions, TakesTheEnvironmentsVenvUnlessAFlagSaysOtherwise) {
  setenv("TRIODE_VENV", "/from/environment", 1);
  const std::string from_environment = parse({}).take().venv;
  const std::string from_flag = parse({"--venv", "/from/flag"}).take().venv;
  unsetenv("TRIODE_VENV");
  EXPECT_EQ(from_environment, "/from/environment");
  EXPECT_EQ(from_flag, "/from/flag");
}

}  // namespace
}  // namespace triode::bench
