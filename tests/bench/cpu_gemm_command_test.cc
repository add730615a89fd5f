// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/cpu_gemm_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "jit/x86/vector_isa.h"
#include "tests/bench/command_answer.h"
#include "tests/runtime/temporary_folder.h"
#include "tools/bench/command_line.h"

namespace triode::bench {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

CommandAnswer run(const std::vector<std::string>& arguments) {
  return answer_of(run_cpu_gemm, arguments);
}

std::string shapes_file(const std::string& text) {
  const std::string path = ::testing::TempDir() + "triode_bench_" +
                           ::testing::UnitTest::GetInstance()->current_test_info()->name();
  std::ofstream(path) << text;
  return path;
}

TEST(CpuGemmCommand, HelpIsTheDocument) {
  const CommandAnswer answer = run({"--help"});
  EXPECT_EQ(answer.code, kDone);
  EXPECT_THAT(answer.out, StartsWith("# triode bench"));
}

TEST(CpuGemmCommand, HelpNamesEveryOption) {
  const std::string text(help_text());
  for (const char* option :
       {"--set",        "--shapes", "--random",  "--dtype", "--transposes", "--threads", "--budget",
        "--exhaustive", "--isa",    "--configs", "--cache", "--rounds",     "--peers",   "--venv",
        "--demo",       "--json",   "--quiet",   "--seed",  "--help",       "--version"}) {
    EXPECT_THAT(text, HasSubstr(option));
  }
}

TEST(CpuGemmCommand, WrongFlagIsWrongUsageAndPrintsNoResult) {
  const CommandAnswer answer = run({"--frobnicate"});
  EXPECT_EQ(answer.code, kWrongUsage);
  EXPECT_THAT(answer.out, IsEmpty());
  EXPECT_THAT(answer.err, HasSubstr("--frobnicate"));
}

TEST(CpuGemmCommand, WrongValueIsWrongUsageAndSaysWhatIsValid) {
  const CommandAnswer answer = run({"--set", "huge"});
  EXPECT_EQ(answer.code, kWrongUsage);
  EXPECT_THAT(answer.err, HasSubstr("reference"));
}

TEST(CpuGemmCommand, WrongShapeIsWrongUsageAndNamesTheLine) {
  const std::string path = shapes_file("8,8,8\n8,8,x\n");
  const CommandAnswer answer = run({"--shapes", path});
  EXPECT_EQ(answer.code, kWrongUsage);
  EXPECT_THAT(answer.err, HasSubstr(path + ":2: "));
}

TEST(CpuGemmCommand, MoreThreadsThanCoresIsWrongUsage) {
  if (x86::runnable_isas().empty()) GTEST_SKIP() << "needs AVX2";
  EXPECT_EQ(run({"--threads", "4000"}).code, kWrongUsage);
}

TEST(CpuGemmCommand, MeasuresAShapeWithoutPeersAndReportsJson) {
  if (x86::runnable_isas().empty()) GTEST_SKIP() << "needs AVX2";
  const CommandAnswer answer = run({"--shapes", shapes_file("8,8,8\n"), "--peers", "none",
                                    "--budget", "0.02", "--rounds", "3", "--json", "--quiet"});
  ASSERT_EQ(answer.code, kDone) << answer.err;
  const auto json = nlohmann::ordered_json::parse(answer.out);
  EXPECT_EQ(json["shapes"][0]["problem"], "mm f32 8x8x8 nn");
  EXPECT_GE(json["shapes"][0]["timings"]["triode"]["samples_ns"].size(), 3u);
  EXPECT_GT(json["summary"]["jit_us_median"], 0);
  EXPECT_TRUE(json["summary"]["geomean_vs_best"].is_null());
  EXPECT_THAT(answer.err, IsEmpty());
}

TEST(CpuGemmCommand, TimesSavedConfigsWithoutSearching) {
  if (x86::runnable_isas().empty()) GTEST_SKIP() << "needs AVX2";
  const std::string configs = shapes_file("") + ".json";
  std::remove(configs.c_str());
  const std::vector<std::string> arguments = {"--shapes",  shapes_file("16,16,16\n"),
                                              "--peers",   "none",
                                              "--budget",  "0.02",
                                              "--rounds",  "3",
                                              "--json",    "--quiet",
                                              "--configs", configs};
  const auto first = nlohmann::json::parse(run(arguments).out)["shapes"][0];
  const auto second = nlohmann::json::parse(run(arguments).out)["shapes"][0];
  std::remove(configs.c_str());
  EXPECT_EQ(first["config"], second["config"]);
  EXPECT_EQ(second["search"]["tried"], 0);
  EXPECT_EQ(second["config_was_saved"], true);
}

TEST(CpuGemmCommand, StartsASecondRunFromWhatTheFirstPutIntoTheCache) {
  if (x86::runnable_isas().empty()) GTEST_SKIP() << "needs AVX2";
  const TemporaryFolder folder;
  const std::string cache = folder.path() / "cache";
  const std::vector<std::string> arguments = {"--shapes", shapes_file("16,16,16\n"),
                                              "--peers",  "none",
                                              "--budget", "0.02",
                                              "--rounds", "3",
                                              "--json",   "--quiet",
                                              "--cache",  cache};
  const auto first = nlohmann::json::parse(run(arguments).out)["shapes"][0]["search"];
  const auto second = nlohmann::json::parse(run(arguments).out)["shapes"][0]["search"];
  EXPECT_EQ(first["known_starts"], 0);
  EXPECT_GT(second["known_starts"], 0);
}

TEST(CpuGemmCommand, FailsBeforeMeasuringWhenTheCacheCannotBeOpened) {
  if (x86::runnable_isas().empty()) GTEST_SKIP() << "needs AVX2";
  const std::string file = shapes_file("16,16,16\n");
  const CommandAnswer answer =
      run({"--shapes", file, "--peers", "none", "--cache", file + "/cache"});
  EXPECT_EQ(answer.code, kFailed);
  EXPECT_THAT(answer.err, HasSubstr(file + "/cache"));
}

}  // namespace
}  // namespace triode::bench
