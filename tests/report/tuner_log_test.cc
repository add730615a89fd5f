// SPDX-License-Identifier: Apache-2.0
#include "tools/report/tuner_log.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/runtime/temporary_folder.h"

namespace triode::report_tool {
namespace {

TEST(TunerLog, ReadsPlainAndQuotedValues) {
  const auto event = parse_tuner_event(
      R"(2026-11-18T03:40:00Z plan problem="mm f32 64x64x64 nn" config="a=\"1\" b=\\" speedup=1.52)");
  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->when_unix_s, 1794973200);
  EXPECT_EQ(event->event, "plan");
  EXPECT_EQ(event->fields.at("problem"), "mm f32 64x64x64 nn");
  EXPECT_EQ(event->fields.at("config"), R"(a="1" b=\)");
  EXPECT_EQ(event->fields.at("speedup"), "1.52");
}

TEST(TunerLog, ReadsAnEventWithoutFields) {
  const auto event = parse_tuner_event("1970-01-01T00:00:07Z end");
  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->when_unix_s, 7);
  EXPECT_TRUE(event->fields.empty());
}

TEST(TunerLog, DecisionsAreWhatSaysWhoAnswers) {
  for (const std::string event : {"plan", "withdrawn", "vendor-stays"}) {
    EXPECT_TRUE(is_decision({0, event, {}})) << event;
  }
  for (const std::string event : {"search", "failed", "trusted", "error"}) {
    EXPECT_FALSE(is_decision({0, event, {}})) << event;
  }
}

TEST(TunerLog, PassesOverLinesThatNoTunerWrites) {
  for (const std::string line :
       {"", "plan", "yesterday plan", "2026-11-18T03:40:00Z", "2026-11-18T03:40:00Z plan word",
        "2026-11-18T03:40:00Z plan problem=\"mm f32", "2026-11-18T03:40:00 plan a=b"}) {
    EXPECT_FALSE(parse_tuner_event(line).has_value()) << line;
  }
}

TEST(TunerLog, AFolderWithoutOneHasNoEvents) {
  EXPECT_TRUE(read_tuner_log("/nowhere").empty());
}

TEST(TunerLog, ReadsTheOlderPartFirst) {
  const TemporaryFolder folder;
  folder.write("tuner.log", "1970-01-01T00:00:08Z plan\n");
  folder.write("tuner.log.old", "1970-01-01T00:00:07Z start\n");
  const std::vector<TunerEvent> events = read_tuner_log(folder.path().string());
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].event, "start");
  EXPECT_EQ(events[1].event, "plan");
}

}  // namespace
}  // namespace triode::report_tool
