// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <set>

#include "cache/cache.h"
#include "cache/maintenance.h"
#include "cache/spool_file.h"
#include "cache/spool_frame.h"
#include "cache/spool_writer.h"
#include "tests/cache/raw_database.h"
#include "tests/core/status_matchers.h"
#include "tests/runtime/temporary_folder.h"

namespace triode {
namespace {

using ::testing::_;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

KeyedTrial trial(int number, double median_ns = 100) {
  return {
      .key = {.device = "cpu|avx2|8|0|0|0",
              .problem = "mm f32 8x8x8 nn",
              .config = "x=" + std::to_string(number),
              .validity = {.toolchain = "emitter 1", .driver = {}, .generator = {}, .source = {}}},
      .record = {{}, {median_ns, median_ns, 0.01, 5}, 1'800'000'000}};
}

std::string frame(int number) {
  const KeyedTrial one = trial(number);
  return encode_frame({&one, 1}).take();
}

// Frames and what is between them, in order: "x=1 x=2 ?".
std::string read_spool(std::string_view bytes) {
  std::string out;
  while (!bytes.empty()) {
    const FramePart part = next_frame(bytes);
    for (const KeyedTrial& each : part.trials) out += each.key.config + ' ';
    if (!part.damage.empty()) out += "? ";
    bytes.remove_prefix(part.size_bytes);
  }
  return out;
}

TEST(SpoolFrame, ReadsWhatItWrote) {
  const std::vector<KeyedTrial> trials = {trial(1), trial(2, 0.1)};
  const std::string bytes = encode_frame(trials).take();
  const FramePart part = next_frame(bytes);
  EXPECT_EQ(part.trials, trials);
  EXPECT_EQ(part.size_bytes, bytes.size());
  EXPECT_EQ(part.damage, "");
}

TEST(SpoolFrame, RefusesTimesThatCannotBeRanked) {
  const KeyedTrial bad = trial(1, std::numeric_limits<double>::infinity());
  EXPECT_THAT(encode_frame({&bad, 1}),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("finite")));
}

TEST(SpoolFrame, GoesOnBehindAFrameThatWasCutOff) {
  const std::string whole = frame(1);
  for (size_t size = 1; size < whole.size(); ++size) {
    ASSERT_EQ(read_spool(frame(0) + whole.substr(0, size) + frame(2)), "x=0 ? x=2 ") << size;
    ASSERT_EQ(read_spool(frame(0) + whole.substr(0, size)), "x=0 ? ") << size;
  }
}

TEST(SpoolFrame, GoesOnBehindAFrameThatWasChanged) {
  for (size_t at = 0; at < frame(1).size(); ++at) {
    std::string changed = frame(1);
    changed[at] = static_cast<char>(changed[at] ^ 4);
    ASSERT_EQ(read_spool(frame(0) + changed + frame(2)), "x=0 ? x=2 ") << at;
  }
}

TEST(SpoolFrame, SurvivesAnyBytes) {
  std::mt19937 random(1);
  for (int i = 0; i < 500; ++i) {
    std::string bytes = frame(1) + frame(2);
    for (int change = 0; change < 8; ++change) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    read_spool(bytes);
  }
}

class SpoolTest : public ::testing::Test {
 protected:
  Status append(int number) const {
    const KeyedTrial one = trial(number);
    return append_to_spool(path, {&one, 1});
  }

  std::unique_ptr<Cache> open() const { return Cache::open(path, {}).take(); }

  static std::multiset<std::string> configs(const Cache& cache) {
    std::multiset<std::string> found;
    EXPECT_TRUE(cache.measurements()
                    .for_each_trial([&](const SampleKey& key, const TrialRecord&) {
                      found.insert(key.config);
                      return true;
                    })
                    .ok());
    return found;
  }

  const TemporaryFolder folder;
  const std::string path = folder.path() / "cache";
  const std::string spool = path + "/spool";
};

TEST_F(SpoolTest, WaitsForTheNextWriterWhichTakesItInOnce) {
  ASSERT_TRUE(append(1).ok());
  ASSERT_TRUE(append(2).ok());
  auto cache = open();
  EXPECT_EQ(cache->spool_intake().records, 2);
  EXPECT_EQ(cache->spool_intake().files, 1);
  cache.reset();
  EXPECT_THAT(files_ending(path, "spool"), IsEmpty());
  EXPECT_EQ(configs(*open()), (std::multiset<std::string>{"x=1", "x=2"}));
}

TEST_F(SpoolTest, IsNamedToAReaderWhereThereIsNothingElse) {
  ASSERT_TRUE(append(1).ok());
  ASSERT_TRUE(append(2).ok());
  EXPECT_THAT(Cache::open(path, {.mode = StoreMode::kReadOnly}),
              FailsWith(StatusCode::kNotFound,
                        AllOf(HasSubstr(path), HasSubstr("2 trials wait in its spool"),
                              HasSubstr("triode cache compact"))));
}

TEST_F(SpoolTest, IsTakenInByARunningWriterWhenTold) {
  const auto cache = open();
  ASSERT_TRUE(append(1).ok());
  EXPECT_EQ(cache->take_in_spool().take().records, 1);
  ASSERT_TRUE(append(2).ok());
  EXPECT_EQ(cache->take_in_spool().take().records, 1);
  EXPECT_EQ(configs(*cache), (std::multiset<std::string>{"x=1", "x=2"}));
  EXPECT_EQ(stats(*cache).take().spooled_bytes, 0);
}

TEST_F(SpoolTest, IsTakenInOnceAlthoughTheWriterDiedBeforeItRemovedTheFile) {
  ASSERT_TRUE(append(1).ok());
  ASSERT_TRUE(append(2).ok());
  std::filesystem::rename(spool, spool + "-77");
  std::filesystem::copy(spool + "-77", folder.path() / "kept");
  open().reset();
  // The file is back, and so is the mark, which an opening without the file had dropped.
  std::filesystem::copy(folder.path() / "kept", spool + "-77");
  raw_put(path, "meta", "spool\n77", std::to_string(std::filesystem::file_size(spool + "-77")));
  EXPECT_EQ(open()->spool_intake().records, 0);
  EXPECT_EQ(configs(*open()).size(), 2u);
}

TEST_F(SpoolTest, IsTakenInFromWhereTheWriterDied) {
  ASSERT_TRUE(append(1).ok());
  const auto first = std::filesystem::file_size(spool);
  ASSERT_TRUE(append(2).ok());
  open().reset();
  ASSERT_TRUE(append(1).ok());
  ASSERT_TRUE(append(2).ok());
  std::filesystem::rename(spool, spool + "-78");
  raw_put(path, "meta", "spool\n78", std::to_string(first));
  EXPECT_EQ(open()->spool_intake().records, 1);
  EXPECT_EQ(configs(*open()), (std::multiset<std::string>{"x=1", "x=2", "x=2"}));
}

TEST_F(SpoolTest, TakesAnyNumberOfTrialsApart) {
  const auto cache = open();
  std::vector<KeyedTrial> many;
  for (int i = 0; i < 20'000; ++i) many.push_back(trial(i));
  ASSERT_TRUE(spool_apart(path, many).ok());
  ASSERT_TRUE(append(1).ok()) << "which has its limit to itself";
  EXPECT_EQ(cache->take_in_spool().take().records, 20'001);
  EXPECT_EQ(stats(*cache).take().spooled_bytes, 0);
}

TEST_F(SpoolTest, TakesAllTrialsApartOrNone) {
  std::vector<KeyedTrial> many;
  for (int i = 0; i < 20'000; ++i) many.push_back(trial(i));
  many.back().record.measurement.median_ns = NAN;
  EXPECT_THAT(spool_apart(path, many), FailsWith(StatusCode::kInvalidArgument, _));
  EXPECT_EQ(open()->spool_intake().records, 0);
}

TEST_F(SpoolTest, LeavesNoMarksBehind) {
  ASSERT_TRUE(append(1).ok());
  open().reset();
  for (const std::string& key : raw_keys(path, "meta")) EXPECT_FALSE(key.starts_with("spool"));
}

TEST_F(SpoolTest, KeepsDamagedBytesInQuarantine) {
  ASSERT_TRUE(append(1).ok());
  std::ofstream(spool, std::ios::app) << "TRSP half a frame";
  ASSERT_TRUE(append(2).ok());
  const auto cache = open();
  EXPECT_EQ(cache->spool_intake().records, 2);
  EXPECT_EQ(cache->spool_intake().damaged_bytes, 17);
  EXPECT_TRUE(verify(*cache).take().is_sound());
}

TEST_F(SpoolTest, IsNotTakenInWhileSomebodyHoldsIt) {
  ASSERT_TRUE(append(1).ok());
  std::filesystem::rename(spool, spool + "-79");
  {
    const SpoolFile held = SpoolFile::open_to_read(spool + "-79").take();
    EXPECT_EQ(open()->spool_intake().files_left, 1);
  }
  EXPECT_EQ(open()->spool_intake().records, 1);
}

TEST_F(SpoolTest, SaysWhereItCannotWrite) {
  folder.write("cache", "a file where a folder should be");
  EXPECT_THAT(append(1), FailsWith(StatusCode::kUnavailable, HasSubstr(path)));
}

TEST_F(SpoolTest, TakesAllOfACallOrNone) {
  const std::vector<KeyedTrial> trials = {trial(1), trial(2, -1)};
  EXPECT_FALSE(append_to_spool(path, trials).ok());
  EXPECT_FALSE(std::filesystem::exists(spool));
}

// Processes that append until they are killed, while a writer takes in. What each was told is kept
// is there once; of what it was not told, at most the one under way.
TEST_F(SpoolTest, LosesAndDoublesNothingWhenAppendersAreKilled) {
  constexpr int kProcesses = 4;
  std::vector<std::pair<pid_t, int>> appenders;
  for (int process = 0; process < kProcesses; ++process) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t pid = fork();
    if (pid == 0) {
      for (int i = 0;; ++i) {
        if (!append(process * 1'000'000 + i).ok()) _exit(1);
        (void)!write(ends[1], &i, sizeof(i));
      }
    }
    close(ends[1]);
    appenders.emplace_back(pid, ends[0]);
  }
  auto cache = open();
  std::vector<int> acknowledged(kProcesses, -1);
  for (int process = 0; process < kProcesses; ++process) {
    const auto [pid, end] = appenders[static_cast<size_t>(process)];
    int& last = acknowledged[static_cast<size_t>(process)];
    while (last < 50) ASSERT_EQ(read(end, &last, sizeof(last)), static_cast<ssize_t>(sizeof(last)));
    ASSERT_TRUE(cache->take_in_spool().ok());
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    int next = 0;
    while (read(end, &next, sizeof(next)) == static_cast<ssize_t>(sizeof(next))) last = next;
    close(end);
  }
  ASSERT_TRUE(cache->take_in_spool().ok());
  const std::multiset<std::string> found = configs(*cache);
  for (int process = 0; process < kProcesses; ++process) {
    for (int i = 0; i <= acknowledged[static_cast<size_t>(process)]; ++i) {
      ASSERT_EQ(found.count("x=" + std::to_string(process * 1'000'000 + i)), 1u) << process << i;
    }
  }
}

}  // namespace
}  // namespace triode
