// SPDX-License-Identifier: Apache-2.0
// The benchmarks that a Python measures, as far as they go without one.
#include "tools/bench/python_measurement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/bench/command_answer.h"
#include "tools/bench/command_line.h"
#include "tools/bench/inductor_hook_command.h"
#include "tools/bench/torch_dispatch_command.h"

namespace triode::bench {
namespace {

using ::testing::HasSubstr;

struct PythonBenchmark {
  const char* name;
  BenchCommand command;
};

class BenchInPython : public testing::TestWithParam<PythonBenchmark> {
 protected:
  CommandAnswer run(const std::vector<std::string>& arguments) {
    return answer_of(GetParam().command, arguments);
  }
};

TEST_P(BenchInPython, SaysWhatIsMissingWithoutAPython) {
  const CommandAnswer result = run({"--venv", "/nonexistent"});
  EXPECT_EQ(result.code, kFailed);
  EXPECT_THAT(result.err, HasSubstr("no Python with torch and triode"));
}

TEST_P(BenchInPython, RefusesWrongOptions) {
  EXPECT_EQ(run({"--rounds", "none"}).code, kWrongUsage);
  EXPECT_EQ(run({"--rounds", "1"}).code, kWrongUsage);
}

TEST_P(BenchInPython, HelpsWithoutMeasuring) {
  EXPECT_THAT(run({"--help"}).out, HasSubstr(GetParam().name));
}

INSTANTIATE_TEST_SUITE_P(Commands, BenchInPython,
                         testing::Values(PythonBenchmark{"inductor-hook", run_inductor_hook},
                                         PythonBenchmark{"torch-dispatch", run_torch_dispatch}));

}  // namespace
}  // namespace triode::bench
