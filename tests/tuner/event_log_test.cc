// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/event_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/runtime/temporary_folder.h"

namespace triode::tuner {
namespace {

using ::testing::MatchesRegex;

class EventLogTest : public ::testing::Test {
 protected:
  std::string last_line() const {
    std::ifstream file(path_);
    std::string line, last;
    while (std::getline(file, line)) last = line;
    return last;
  }

  TemporaryFolder folder_;
  std::string path_ = (folder_.path() / "log").string();
  EventLog log_{path_};
};

TEST_F(EventLogTest, WritesATimeAnEventAndFields) {
  log_.write("plan", {{"speedup", "1.5"}, {"problem", "mm f32"}});
  EXPECT_THAT(last_line(),
              MatchesRegex("20..-..-..T..:..:..Z plan speedup=1.5 problem=\"mm f32\""));
}

TEST_F(EventLogTest, KeepsAnyTextOnOneLine) {
  log_.write("error", {{"message", "a \"b\"\nc\\"}});
  EXPECT_THAT(last_line(), MatchesRegex(".* error message=\"a \\\\\"b\\\\\" c\\\\\\\\\""));
}

TEST_F(EventLogTest, PutsALongFileAside) {
  folder_.write("log", std::string((4 << 20) + 1, 'x'));
  log_.write("start");
  EXPECT_LT(std::filesystem::file_size(path_), 100u);
  EXPECT_GT(std::filesystem::file_size(path_ + ".old"), 4u << 20);
}

// As on a full disk, where a write may succeed in part.
TEST_F(EventLogTest, LeavesNoPartOfALineThatDoesNotFit) {
  log_.write("start");
  const uintmax_t size = std::filesystem::file_size(path_);
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit full{size + 10, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &full);
  log_.write("plan", {{"problem", "mm f32"}});
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(std::filesystem::file_size(path_), size);
}

TEST(Figure, HasFourDigits) {
  EXPECT_EQ(figure(1.52345), "1.523");
  EXPECT_EQ(figure(1234567), "1.235e+06");
}

TEST_F(EventLogTest, IsSilentWithoutAFile) {
  EventLog("").write("start");
  EventLog("/nowhere/log").write("start");
}

}  // namespace
}  // namespace triode::tuner
