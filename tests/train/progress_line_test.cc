// SPDX-License-Identifier: Apache-2.0
#include "tools/train/progress_line.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace triode::train_tool {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;

struct Recording {
  steady_clock::time_point now{};
  std::string text;

  ProgressLine line(bool is_terminal) {
    return {is_terminal, [this] { return now; }, [this](const std::string& more) { text += more; }};
  }
};

TEST(ProgressLine, EstimatesWhatIsLeft) {
  Recording recording;
  ProgressLine line = recording.line(false);
  recording.now += seconds(30);
  line.show(0.25, "rank");
  EXPECT_EQ(recording.text, " 25% rank, 1:30 left\n");
}

TEST(ProgressLine, KeepsFilesShort) {
  Recording recording;
  ProgressLine line = recording.line(false);
  for (int i = 1; i <= 20; ++i) {
    recording.now += seconds(1);
    line.show(i / 20.0, "rank");
  }
  EXPECT_EQ(recording.text, " 75% rank, 0:05 left\n");
}

TEST(ProgressLine, RewritesALineOnATerminalAndClearsIt) {
  Recording recording;
  ProgressLine line = recording.line(true);
  recording.now += seconds(1);
  line.show(0.5, "rank");
  line.finish();
  line.finish();
  EXPECT_EQ(recording.text, "\r\x1b[K 50% rank, 0:01 left\r\x1b[K");
}

TEST(ClockText, HasHoursOnlyWhenThereAreAny) {
  EXPECT_EQ(clock_text(seconds(65)), "1:05");
  EXPECT_EQ(clock_text(seconds(3723)), "1:02:03");
}

}  // namespace
}  // namespace triode::train_tool
