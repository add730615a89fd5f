// SPDX-License-Identifier: Apache-2.0
#include "tools/top/top_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "runtime/tuner/search_journal.h"

namespace triode::top_tool {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using tuner::ProblemState;
using tuner::SentProblem;
using tuner::StatusAnswer;

SentProblem problem(const std::string& text, ProblemState state, double speedup, uint64_t calls,
                    double total_ns) {
  SentProblem problem;
  problem.problem = text;
  problem.state = state;
  problem.speedup = speedup;
  problem.use.plan_calls = calls;
  problem.use.plan_ns = total_ns;
  return problem;
}

StatusAnswer some_status() {
  StatusAnswer status;
  status.process = 4711;
  status.cache = "/cache";
  status.trials = 1234;
  status.problem_count = 3;
  status.clients.emplace_back();
  status.clients[0].process = 99;
  status.clients[0].program = "/usr/bin/python3";
  status.problems = {problem("mm f32 8x8x8 nn", ProblemState::kTuned, 2, 10, 5e6),
                     problem("mm f32 9x9x9 nn", ProblemState::kTiming, 0, 30, 9e6),
                     problem("mm f32 7x7x7 nn", ProblemState::kVendor, 0, 20, 7e6)};
  return status;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Sizes of the problems in the order in which they are shown: "879".
std::string order(SortKey key) {
  std::string sizes;
  for (const std::string& line : lines_of(top_view(some_status(), 5 << 20, {.sort = key}))) {
    const size_t at = line.find("mm f32 ");
    if (at != std::string::npos) sizes += line[at + 7];
  }
  return sizes;
}

TEST(TopView, SortsByEveryKey) {
  EXPECT_EQ(order(SortKey::kTime), "978");
  EXPECT_EQ(order(SortKey::kSpeedup), "897");
  EXPECT_EQ(order(SortKey::kCalls), "978");
  EXPECT_EQ(order(SortKey::kState), "987");
  EXPECT_EQ(order(SortKey::kProblem), "789");
}

TEST(TopView, ShowsProgramsTrialsStatesAndWhatWasSaved) {
  const std::string text = top_view(some_status(), 5 << 20, {});
  EXPECT_THAT(text, HasSubstr("tuner 4711"));
  EXPECT_THAT(text, HasSubstr("99 python3"));
  EXPECT_THAT(text, HasSubstr("1,234 trials"));
  EXPECT_THAT(text, HasSubstr("tuned"));
  EXPECT_THAT(text, HasSubstr("2.00x"));
  EXPECT_THAT(text, HasSubstr("saved about 5.000 ms"));
  EXPECT_THAT(text, HasSubstr("cache /cache (5.0 MiB)"));
}

TEST(TopView, ShowsHowGoodFirstChoicesAreOnceAnyIsKnown) {
  StatusAnswer status = some_status();
  EXPECT_THAT(top_view(status, 0, {.width = 200}), Not(HasSubstr("first choices")));
  tuner::Metrics metrics;
  metrics.observe(tuner::kFirstChoiceRegret, 1.1);
  metrics.observe(tuner::kFirstChoiceRegret, 1.3);
  status.metrics = metrics.all();
  EXPECT_THAT(top_view(status, 0, {.width = 200}), HasSubstr("first choices took 1.20x the best"));
}

TEST(TopView, FitsScreensOfAnySize) {
  StatusAnswer status = some_status();
  for (int i = 0; i < 100; ++i) {
    status.problems.push_back(problem(std::string(200, 'x'), ProblemState::kQueued, 0, 1, 1));
  }
  for (const size_t height : {5u, 8u, 24u, 60u}) {
    for (const size_t width : {20u, 80u, 200u}) {
      const auto lines = lines_of(top_view(status, 5 << 20, {.width = width, .height = height}));
      EXPECT_LE(lines.size(), height) << width;
      EXPECT_THAT(lines.back(), HasSubstr("q quit"));
    }
  }
}

// Without the bytes by which a character of UTF-8 goes on.
size_t characters_in(const std::string& line) {
  return static_cast<size_t>(
      std::count_if(line.begin(), line.end(), [](char byte) { return (byte & 0xC0) != 0x80; }));
}

TEST(TopView, NoLineIsWiderThanTheScreen) {
  StatusAnswer status = some_status();
  status.problems.push_back(
      problem("bmm f64 16x1024x1024x1024 tn", ProblemState::kWithdrawn, 1.25, 1'000'000, 3.5e9));
  status.problems.back().config = std::string(200, 'c');
  for (const size_t width : {20u, 25u, 30u, 40u, 55u, 80u}) {
    const std::string text = top_view(status, 5 << 20, {.width = width, .height = 24});
    EXPECT_THAT(text, HasSubstr("bmm f64 16x1024"));
    for (const std::string& line : lines_of(text)) EXPECT_LE(characters_in(line), width) << line;
  }
}

TEST(TopView, ALowScreenShowsAProblemRatherThanSayingThatThereIsNone) {
  for (const size_t height : {5u, 6u, 7u}) {
    const std::string text = top_view(some_status(), 5 << 20, {.width = 80, .height = height});
    EXPECT_THAT(text, HasSubstr("mm f32 9x9x9 nn")) << height;
  }
  EXPECT_THAT(top_view(some_status(), 5 << 20, {.width = 80, .height = 3}),
              Not(HasSubstr("no program")));
  EXPECT_THAT(top_view({}, 0, {.width = 80, .height = 5}), HasSubstr("no program has reported"));
}

TEST(TopView, AKeySortsByWhatTheLastLineSays) {
  EXPECT_EQ(sort_of('t'), SortKey::kTime);
  EXPECT_EQ(sort_of('s'), SortKey::kSpeedup);
  EXPECT_EQ(sort_of('c'), SortKey::kCalls);
  EXPECT_EQ(sort_of('a'), SortKey::kState);
  EXPECT_EQ(sort_of('p'), SortKey::kProblem);
  EXPECT_EQ(sort_of('x'), std::nullopt);
}

TEST(TopView, WithoutATunerItSaysHowOneStarts) {
  const std::string text = view_without_tuner("/cache", {.width = 200});
  EXPECT_THAT(text, HasSubstr("no tuner runs for /cache"));
  EXPECT_THAT(text, HasSubstr("triode run"));
}

}  // namespace
}  // namespace triode::top_tool
