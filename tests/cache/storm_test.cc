// SPDX-License-Identifier: Apache-2.0
// A writer that is killed again and again while others read. TRIODE_TEST_LONG=1 kills it 200 times.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "cache/cache.h"
#include "cache/maintenance.h"
#include "tests/cache/filled_cache.h"
#include "tests/runtime/temporary_folder.h"

namespace triode {
namespace {

constexpr int kReaders = 4;

int kills() {
  const char* value = std::getenv("TRIODE_TEST_LONG");
  return value != nullptr && std::string(value) == "1" ? 200 : 8;
}

// A process of tests/cache/storm_peer.cc, killed at the end.
class Peer {
 public:
  Peer(const std::vector<std::string>& arguments, int output = STDERR_FILENO) {
    std::vector<char*> words = {const_cast<char*>(TRIODE_STORM_PEER)};
    for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    EXPECT_EQ(posix_spawn(&pid_, TRIODE_STORM_PEER, &actions, nullptr, words.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
  }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  ~Peer() { end(); }

  bool is_running() const { return waitpid(pid_, nullptr, WNOHANG) == 0; }
  void end() {
    if (pid_ == 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

 private:
  pid_t pid_ = 0;
};

// Runs a writer until it has told of some batches and a little longer, and kills it. Returns the
// last number that it was told is kept.
int64_t write_and_kill(const std::string& path, int64_t first, std::mt19937& random) {
  int ends[2];
  EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
  Peer writer({"write", path, std::to_string(first)}, ends[1]);
  close(ends[1]);
  int64_t last = first - 1;
  for (unsigned i = 1 + random() % 100; i > 0; --i) {
    if (read(ends[0], &last, sizeof(last)) != sizeof(last)) ADD_FAILURE() << "the writer ended";
  }
  std::this_thread::sleep_for(std::chrono::microseconds(random() % 5000));
  writer.end();
  for (int64_t next = 0; read(ends[0], &next, sizeof(next)) == sizeof(next);) last = next;
  close(ends[0]);
  return last;
}

// The trials that the summaries of problems count; each has a config of its own.
int64_t summarized(const Cache& cache) {
  int64_t configs = 0;
  const auto counts = cache.measurements().summaries({}, [&](const ProblemSummary& problem) {
    configs += problem.configs;
    return true;
  });
  return counts.ok() ? configs : -1;
}

TEST(CacheStorm, LosesNothingThatAKilledWriterWasToldIsKept) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "cache";
  Cache::open(path, {}).take().reset();
  std::vector<std::unique_ptr<Peer>> readers;
  for (int i = 0; i < kReaders; ++i) {
    readers.push_back(std::make_unique<Peer>(std::vector<std::string>{"read", path}));
  }
  std::mt19937 random(1);
  int64_t first = 0;
  for (int i = 0; i < kills(); ++i) {
    const int64_t last = write_and_kill(path, first, random);
    const auto cache = Cache::open(path, {.mode = StoreMode::kReadOnly}).take();
    const VerifyReport report = verify(*cache).take();
    ASSERT_TRUE(report.is_sound()) << report.damages.at(0).key << report.damages.at(0).reason;
    const std::set<int64_t> numbers = numbers_in(*cache);
    ASSERT_GE(static_cast<int64_t>(numbers.size()), last + 1) << "after kill " << i;
    ASSERT_EQ(std::distance(numbers.begin(), numbers.upper_bound(last)), last + 1);
    ASSERT_EQ(summarized(*cache), static_cast<int64_t>(numbers.size())) << "after kill " << i;
    // Batches that were kept although nobody was told.
    first = *numbers.rbegin() + 1;
  }
  for (const auto& reader : readers) EXPECT_TRUE(reader->is_running()) << "a reader failed";
}

}  // namespace
}  // namespace triode
