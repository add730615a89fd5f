// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/torch_dispatch_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tools/bench/command_line.h"

namespace triode::bench {
namespace {

using ::testing::HasSubstr;

struct Answer {
  int code;
  std::string out, err;
};

Answer run(const std::vector<std::string>& arguments) {
  std::ostringstream out, err;
  const int code = run_torch_dispatch(arguments, out, err);
  return {code, out.str(), err.str()};
}

TEST(BenchTorchDispatch, SaysWhatIsMissingWithoutAPython) {
  const Answer result = run({"--venv", "/nonexistent"});
  EXPECT_EQ(result.code, kFailed);
  EXPECT_THAT(result.err, HasSubstr("no Python with torch and triode"));
}

TEST(BenchTorchDispatch, RefusesWrongOptions) {
  EXPECT_EQ(run({"--rounds", "none"}).code, kWrongUsage);
  EXPECT_EQ(run({"--rounds", "1"}).code, kWrongUsage);
}

TEST(BenchTorchDispatch, HelpsWithoutMeasuring) {
  EXPECT_THAT(run({"--help"}).out, HasSubstr("torch-dispatch"));
}

}  // namespace
}  // namespace triode::bench
