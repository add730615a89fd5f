// SPDX-License-Identifier: Apache-2.0
#include "tools/collect/collected_trials.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "cache/cache.h"
#include "jit/x86/gemm_space.h"
#include "tests/runtime/temporary_folder.h"

namespace triode::collect {
namespace {

class CollectedTrials : public testing::Test {
 protected:
  // Two configs of one problem: one timed beside the vendor, one that failed.
  void fill(const std::string& folder) {
    const auto cache = Cache::open(folder, {}).take();
    const Target target{"Some CPU", "avx2", "emitter 1", "", 2, 32768, 1 << 20, 1 << 25};
    const Space space = x86::gemm_space(problem_, std::array{x86::IsaId::kAvx2}, 2).take();
    const std::vector<Config> configs = x86::promising_configs(space, problem_);
    TrialRecord timed{{}, {1500, 1400, 0.01, 9}, 7};
    timed.vendor = VendorTime{3000, 2, 0.01};
    const TrialRecord failed{{OutcomeKind::kWrongResult, "row 1"}, {}, 7};
    const std::vector<ConfigTrial> trials = {{configs[0], timed}, {configs[1], failed}};
    ASSERT_TRUE(cache->measurements().put_all(target, problem_, space, trials).ok());
  }

  const Problem problem_ = Problem::mm(DType::kF64, 64, 48, 100);
  TemporaryFolder folder_;
};

TEST_F(CollectedTrials, ComeBackFromACacheAndFromItsExportAlike) {
  const std::string cache = (folder_.path() / "store").string();
  const std::string file = (folder_.path() / "trials.gz").string();
  fill(cache);
  ASSERT_TRUE(export_collected(cache, file).ok());
  for (const auto& read :
       {read_timings({}, "", std::array{cache}), read_timings(std::array{file}, "", {})}) {
    ASSERT_TRUE(read.ok()) << read.status().message();
    ASSERT_EQ(read->size(), 1u);
    const train::TimedProblem& timed = read->front();
    EXPECT_EQ(timed.problem, problem_);
    EXPECT_EQ(timed.device->name, "Some CPU");
    EXPECT_EQ(timed.family, KernelFamily::kX86);
    EXPECT_DOUBLE_EQ(timed.vendor_s.value(), 3e-6);
    ASSERT_EQ(timed.seconds.size(), 2u);
    EXPECT_DOUBLE_EQ(timed.seconds[train::fastest(timed.seconds)], 1.5e-6);
    EXPECT_EQ(std::isnan(timed.seconds[0]) + std::isnan(timed.seconds[1]), 1);
  }
}

TEST_F(CollectedTrials, NameTheLineThatIsWrong) {
  const auto parsed = parse_collected("triode trials 1\nproblem\tmm\t0\n");
  ASSERT_EQ(parsed.status().code(), StatusCode::kInvalidArgument);
  EXPECT_NE(parsed.status().message().find("line 2"), std::string::npos);
  EXPECT_FALSE(parse_collected("something else\n").ok());
}

}  // namespace
}  // namespace triode::collect
