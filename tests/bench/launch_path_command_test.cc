// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/launch_path_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/bench/command_answer.h"
#include "tools/bench/command_line.h"

namespace triode::bench {
namespace {

using ::testing::HasSubstr;

CommandAnswer run(const std::vector<std::string>& arguments) {
  return answer_of(run_launch_path, arguments);
}

TEST(BenchLaunchPath, SaysWhereAVirtualGpuComesFrom) {
  const CommandAnswer result = run({"--virtual-gpu", "/nonexistent"});
  EXPECT_EQ(result.code, kFailed);
  EXPECT_THAT(result.err, HasSubstr("libcuda.so.1 in '/nonexistent'"));
  EXPECT_THAT(result.err, HasSubstr("TRIODE_BUILD_TESTS=ON"));
}

TEST(BenchLaunchPath, RefusesWrongOptions) {
  for (const char* const calls : {"0", "-1", "many"}) {
    const CommandAnswer result = run({"--calls", calls});
    EXPECT_EQ(result.code, kWrongUsage) << calls;
    EXPECT_THAT(result.err, HasSubstr("--calls"));
  }
  EXPECT_EQ(run({"--rounds", "3"}).code, kWrongUsage);
}

TEST(BenchLaunchPath, HelpsWithoutMeasuring) {
  EXPECT_THAT(run({"--help"}).out, HasSubstr("launch-path"));
}

}  // namespace
}  // namespace triode::bench
