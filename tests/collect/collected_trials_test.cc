// SPDX-License-Identifier: Apache-2.0
#include "tools/collect/collected_trials.h"

#include <gtest/gtest.h>

#include <algorithm>
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

// The machine became a tenth slower after the first trial: what counts is the speedup. During the
// third it was busy, during the fourth the ratio jumped.
TEST_F(CollectedTrials, CompareByTheVendorsTimeAndLeaveOutWhatWasDisturbed) {
  const std::string cache = (folder_.path() / "store").string();
  {
    const auto opened = Cache::open(cache, {}).take();
    const Target target{"Some CPU", "avx2", "emitter 1", "", 2, 32768, 1 << 20, 1 << 25};
    const Space space = x86::gemm_space(problem_, std::array{x86::IsaId::kAvx2}, 2).take();
    const std::vector<Config> configs = x86::promising_configs(space, problem_);
    const std::array vendor = {VendorTime{3000, 2, 0.01}, VendorTime{3300, 2.4, 0.01},
                               VendorTime{6000, 4, 0.01}, VendorTime{3000, 4, 0.2}};
    std::vector<ConfigTrial> trials;
    for (size_t i = 0; i < vendor.size(); ++i) {
      trials.push_back({configs[i], {{}, {1500, 1400, 0.01, 9}, 7}});
      trials.back().record.vendor = vendor[i];
    }
    ASSERT_TRUE(opened->measurements().put_all(target, problem_, space, trials).ok());
  }
  const auto read = read_timings({}, "", std::array{cache});
  ASSERT_TRUE(read.ok()) << read.status().message();
  std::vector<double> seconds = read->front().seconds;
  std::sort(seconds.begin(), seconds.end());
  ASSERT_EQ(seconds.size(), 2u);
  EXPECT_DOUBLE_EQ(seconds[0], 1.25e-6);
  EXPECT_DOUBLE_EQ(seconds[1], 1.5e-6);
  EXPECT_DOUBLE_EQ(read->front().vendor_s.value(), 3e-6);
}

TEST_F(CollectedTrials, OfAnOlderSpaceTakeTheFirstValueOfWhatTheyDoNotName) {
  const std::string cache = (folder_.path() / "store").string();
  fill(cache);
  std::string text = collected_text(Cache::open(cache, {}).take()->measurements()).take();
  const std::string known = " prefetch_panel=0";
  for (size_t at = text.find(known); at != std::string::npos; at = text.find(known)) {
    text.erase(at, known.size());
  }
  const auto read = parse_collected(text);
  ASSERT_TRUE(read.ok()) << read.status().message();
  ASSERT_EQ(read->front().configs.size(), 2u);
  EXPECT_EQ(read->front().configs, read_timings({}, "", std::array{cache}).take().front().configs);
}

TEST_F(CollectedTrials, AreReadFromTheFilesOfAFolderByName) {
  const std::string cache = (folder_.path() / "store").string();
  const std::string folder = (folder_.path() / "data").string();
  fill(cache);
  folder_.write("data/b.csv",
                "m,n,k,block_m,block_n,block_k,group_m,num_stages,num_warps,ok,ms,compile_s\n"
                "64,64,64,32,32,32,8,3,4,1,0.5,1\n");
  folder_.write("data/README.md", "passed over");
  ASSERT_TRUE(export_collected(cache, folder + "/a.trials.gz").ok());
  const auto read = read_timings(std::array{folder}, "a100", {});
  ASSERT_TRUE(read.ok()) << read.status().message();
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ(read->front().problem, problem_);
  EXPECT_EQ(read->back().device->name, "a100");
}

TEST_F(CollectedTrials, NameTheFileOfAFolderThatIsWrong) {
  folder_.write("data/odd.csv", "no,such,columns\n1,2,3\n");
  const std::string folder = (folder_.path() / "data").string();
  const Status status = read_timings(std::array{folder}, "", {}).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("odd.csv"), std::string::npos) << status.message();
}

TEST_F(CollectedTrials, NameTheLineThatIsWrong) {
  const auto parsed = parse_collected("triode trials 1\nproblem\tmm\t0\n");
  ASSERT_EQ(parsed.status().code(), StatusCode::kInvalidArgument);
  EXPECT_NE(parsed.status().message().find("line 2"), std::string::npos);
  EXPECT_FALSE(parse_collected("something else\n").ok());
}

}  // namespace
}  // namespace triode::collect
