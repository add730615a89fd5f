// SPDX-License-Identifier: Apache-2.0
// With a worker that answers at once in Triton's place; tests/jit_cuda shows that kernels compile.
#include "tools/bench/triton_compile_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/bench/command_answer.h"
#include "tests/runtime/temporary_folder.h"
#include "tools/bench/command_line.h"

namespace triode::bench {
namespace {

using ::testing::HasSubstr;

CommandAnswer run(const std::vector<std::string>& arguments) {
  return answer_of(run_triton_compile, arguments);
}

TEST(BenchTritonCompile, GivesEveryFigureWithItsSpread) {
  const TemporaryFolder venv;
  std::filesystem::create_directories(venv.path() / "bin");
  std::filesystem::create_symlink(TRIODE_TEST_PYTHON, venv.path() / "bin/python");
  setenv("TRIODE_WORKER_ANSWERS_ALL", "1", 1);
  const CommandAnswer result =
      run({"--json", "--quiet", "--configs", "3", "--rounds", "2", "--venv", venv.path().string(),
           "--worker", TRIODE_MISBEHAVING_WORKER});
  unsetenv("TRIODE_WORKER_ANSWERS_ALL");
  ASSERT_EQ(result.code, kDone) << result.err;
  const auto document = nlohmann::json::parse(result.out);
  EXPECT_EQ(document["toolchain"], "triton 9.9");
  for (const char* figure :
       {"configs_per_minute", "serial_configs_per_minute", "vs_serial", "warm_load_ms"}) {
    EXPECT_GT(document["summary"][figure].get<double>(), 0) << figure;
    EXPECT_GE(document["summary"][std::string(figure) + "_spread"].get<double>(), 0) << figure;
    EXPECT_GE(document["figures"][figure]["samples"].size(), 2u) << figure;
  }
}

TEST(BenchTritonCompile, RefusesWrongOptions) {
  EXPECT_EQ(run({"--workers", "0"}).code, kWrongUsage);
  EXPECT_EQ(run({"--configs", "none"}).code, kWrongUsage);
}

TEST(BenchTritonCompile, SaysWhenThereIsNoPython) {
  const CommandAnswer result = run({"--venv", "/nonexistent", "--configs", "1", "--quiet"});
  EXPECT_EQ(result.code, kFailed);
  EXPECT_THAT(result.err, HasSubstr("/nonexistent/bin/python"));
}

}  // namespace
}  // namespace triode::bench
