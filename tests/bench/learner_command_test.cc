// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/learner_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/bench/command_answer.h"
#include "tools/bench/command_line.h"

namespace triode::bench {
namespace {

using ::testing::HasSubstr;

CommandAnswer run(const std::vector<std::string>& arguments) {
  return answer_of(run_learner, arguments);
}

TEST(BenchLearner, GivesEveryFigureWithItsSpreadAndSamples) {
  const CommandAnswer result = run({"--json", "--rounds", "3"});
  ASSERT_EQ(result.code, kDone) << result.err;
  const auto document = nlohmann::json::parse(result.out);
  for (const char* figure : {"features_us_1000", "cpu_features_us_1000", "evaluate_us_1000",
                             "rank_us_1000", "update_us"}) {
    EXPECT_GT(document["summary"][figure].get<double>(), 0) << figure;
    EXPECT_GE(document["summary"][std::string(figure) + "_spread"].get<double>(), 0);
    EXPECT_GE(document["figures"][figure]["samples_us"].size(), 3u);
  }
}

TEST(BenchLearner, RanksConfigsOfTheDeviceThatItsModelIsFor) {
  const CommandAnswer result = run({"--json", "--rounds", "3", "--model", TRIODE_CPU_SNAPSHOT});
  ASSERT_EQ(result.code, kDone) << result.err;
  const auto document = nlohmann::json::parse(result.out);
  EXPECT_GT(document["summary"]["rank_us_1000"].get<double>(), 0);
}

TEST(BenchLearner, PrintsATable) {
  EXPECT_THAT(run({"--rounds", "3"}).out, HasSubstr("a ranking of 1,000 configs"));
}

TEST(BenchLearner, RefusesAModelThatIsNotThere) {
  const CommandAnswer result = run({"--model", "/nonexistent/model"});
  EXPECT_EQ(result.code, kFailed);
  EXPECT_THAT(result.err, HasSubstr("/nonexistent/model"));
}

TEST(BenchLearner, RefusesWrongOptions) {
  EXPECT_EQ(run({"--rounds", "none"}).code, kWrongUsage);
}

}  // namespace
}  // namespace triode::bench
