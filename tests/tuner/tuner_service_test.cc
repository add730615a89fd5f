// SPDX-License-Identifier: Apache-2.0
#include "tools/tuner/tuner_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/clock.h"
#include "runtime/tuner/tuner_question.h"
#include "tests/runtime/temporary_folder.h"
#include "tests/tuner/cpu_snapshot.h"

namespace triode::tuner {
namespace {

using ::testing::HasSubstr;

constexpr std::chrono::minutes kPatience(4);  // far more than a busy machine takes

// The tuner of a cache in a folder of the test's, on threads of the test.
class TunerServiceTest : public ::testing::Test {
 protected:
  TunerServiceTest() {
    setenv("XDG_RUNTIME_DIR", folder_.path().c_str(), 1);
    place_ = find_meeting_place((folder_.path() / "cache").string()).value();
    options_.cpu_share = 1;  // other tests may run beside this one
    options_.model = (folder_.path() / "given.snapshot").string();
    std::ofstream(options_.model) << write_snapshot(cpu_snapshot(traits_of(target_).value(), 3));
  }
  ~TunerServiceTest() override { unsetenv("XDG_RUNTIME_DIR"); }

  std::unique_ptr<TunerService> open(bool shares_process = false) {
    std::optional<FileLock> lock = claim_cache(place_).take();
    return TunerService::open(place_, std::move(*lock),
                              {options_, "no worker is needed", shares_process})
        .take();
  }
  // Trials of more problems than a round of fine-tuning waits for.
  void leave_trials() {
    CpuMachine machine;
    const auto trials = open_stored_trials(place_.cache + "/store", SyncLevel::kNone).take();
    for (int64_t i = 0; i < 40; ++i) {
      const Problem problem = Problem::mm(DType::kF32, 24 + 5 * i, 40 + 3 * (i % 7), 64 + i);
      const Space space = machine.space_of(target_, problem).value();
      std::vector<ConfigTrial> timed;
      for (const Config& config : HeuristicRanker().propose(problem, space, {}, 4)) {
        const double ns = problem.flops() * (1 + 0.1 * static_cast<double>(timed.size()));
        timed.push_back({config, {.outcome = {}, .measurement = {ns, ns, 0, 3}}});
      }
      ASSERT_TRUE(trials->record(target_, problem, space, std::move(timed)).ok());
    }
  }
  std::string log() const {
    std::ifstream file(event_log_path(place_.cache));
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void wait_for_event(const std::string& text) const {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (log().find(text) == std::string::npos) {
      ASSERT_LT(std::chrono::steady_clock::now(), end) << log();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  const TemporaryFolder folder_;
  const Target target_ = make_cpu_device(0).value()->target();
  MeetingPlace place_;
  TunerOptions options_;
};

TEST_F(TunerServiceTest, FineTunesItsModelWhileNobodyWaits) {
  leave_trials();
  const auto service = open();
  std::thread serving([&] { EXPECT_TRUE(service->serve(-1).ok()); });
  wait_for_event(" fine-tuned ");
  service->end();
  serving.join();
  EXPECT_THAT(log(), HasSubstr(" end "));
}

TEST_F(TunerServiceTest, ACommandEndsIt) {
  const auto service = open();
  std::thread serving([&] { EXPECT_TRUE(service->serve(-1).ok()); });
  EXPECT_EQ(ask_tuner(connect_to_tuner(place_).take(), true).value().process, getpid());
  serving.join();
  EXPECT_FALSE(connect_to_tuner(place_).ok());
}

TEST_F(TunerServiceTest, EndsWhereItsCacheIsRemoved) {
  const auto service = open();
  std::filesystem::remove_all(place_.cache);
  EXPECT_TRUE(service->serve(-1).ok());
}

TEST_F(TunerServiceTest, HasTheCacheForItself) {
  const auto service = open();
  EXPECT_FALSE(claim_cache(place_).value().has_value());
}

TEST_F(TunerServiceTest, InAProgramOpensNoDatabase) {
  const auto service = open(true);
  EXPECT_FALSE(std::filesystem::exists(place_.cache + "/store/CURRENT"));
}

}  // namespace
}  // namespace triode::tuner
