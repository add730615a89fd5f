// SPDX-License-Identifier: Apache-2.0
// A program that has its tuner on threads of its own. Its BLAS is the stand-in, which any kernel
// beats.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <triode/runtime.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/host/fresh_process.h"
#include "tests/runtime/temporary_folder.h"

extern "C" long stand_in_calls();

namespace triode {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr int64_t kSize = 48;
constexpr std::chrono::minutes kPatience(4);  // far more than a busy machine takes

std::string text_of(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

long entries_of(const char* folder) {
  const std::filesystem::directory_iterator entries(folder);
  return std::distance(begin(entries), end(entries));
}

long count_threads() {
  return entries_of("/proc/self/task");
}

// Processes that this one has started and that are there still.
std::vector<std::string> children() {
  std::vector<std::string> all;
  for (const auto& process : std::filesystem::directory_iterator("/proc")) {
    std::istringstream stat(text_of(process.path() / "stat"));
    std::string id, name, state;
    pid_t parent = 0;
    if (stat >> id >> name >> state >> parent && parent == getpid()) all.push_back(name);
  }
  return all;
}

class InProcess : public ::testing::Test {
 protected:
  InProcess() {
    setenv("XDG_RUNTIME_DIR", folder_.path().c_str(), 1);
    setenv("TRIODE_TUNER_SHARE", "1", 1);  // other tests may run beside this one
  }
  ~InProcess() override {
    unsetenv("XDG_RUNTIME_DIR");
    unsetenv("TRIODE_TUNER_SHARE");
  }

  Runtime::Options options() const {
    return {.cache = (folder_.path() / "cache").string(), .in_process = true};
  }
  std::string log() const { return text_of(folder_.path() / "cache" / "tuner.log"); }

  void multiply(const Runtime& runtime) {
    runtime.gemm(shape_, 1, a_, b_, 0, c_);
    ASSERT_EQ(c_[0], kSize);
  }
  void multiply_until(const Runtime& runtime, const std::function<bool()>& condition) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (!condition()) {
      ASSERT_LT(std::chrono::steady_clock::now(), end) << "waited in vain;\n" << log();
      multiply(runtime);
    }
  }
  bool has_plan(const Runtime& runtime) const {
    return runtime.query<float>(shape_).answered_by == TRIODE_BY_TRIODE;
  }
  void multiply_until_planned(const Runtime& runtime) {
    multiply_until(runtime, [&] { return has_plan(runtime); });
  }

  const TemporaryFolder folder_;
  const Runtime::Shape shape_{.m = kSize, .n = kSize, .k = kSize};
  const std::vector<float> a_ = std::vector<float>(kSize * kSize, 1);
  const std::vector<float> b_ = std::vector<float>(kSize * kSize, 1);
  std::vector<float> c_ = std::vector<float>(kSize * kSize);
};

TEST_F(InProcess, CallsAreTunedWithoutATunerProcess) {
  in_fresh_process([this] {
    const Runtime runtime(options());
    multiply_until_planned(runtime);
    EXPECT_GT(runtime.query<float>(shape_).speedup, 1);
    const long vendor_calls = stand_in_calls();
    multiply(runtime);
    EXPECT_EQ(stand_in_calls(), vendor_calls);
    EXPECT_THAT(log(), HasSubstr("pid=" + std::to_string(getpid()) + "\n"));
  });
}

TEST_F(InProcess, ShutdownEndsItsThreadsAndItsWorkerAndKeepsThePlan) {
  in_fresh_process([this] {
    const long before = count_threads();
    {
      const Runtime runtime(options());
      multiply_until_planned(runtime);
      EXPECT_EQ(count_threads(), before + 3)
          << "one for the program, one that serves, one that tunes";
    }
    EXPECT_EQ(count_threads(), before);
    EXPECT_THAT(children(), IsEmpty());
    EXPECT_THAT(log(), HasSubstr(" end plans=1"));
  });
  in_fresh_process([this] {
    const Runtime runtime(options());
    multiply_until_planned(runtime);
    EXPECT_THAT(log(), Not(ContainsRegex("end plans=1.*\n.* search ")));
  });
}

// Sum of the numbers that follow a text.
long sum_after(const std::string& prefix, const std::string& text) {
  long sum = 0;
  const std::regex pattern(prefix + "(\\d+)");
  for (std::sregex_iterator found(text.begin(), text.end(), pattern), end; found != end; ++found) {
    sum += std::stol((*found)[1]);
  }
  return sum;
}

TEST_F(InProcess, ShutdownInTheMiddleOfASearchLosesNoTrial) {
  const std::string metrics = (folder_.path() / "metrics").string();
  setenv("TRIODE_TUNER_METRICS", metrics.c_str(), 1);
  in_fresh_process([this] {
    {
      const Runtime runtime(options());
      // The first trial starts a worker.
      multiply_until(runtime, [] { return !children().empty(); });
      for (int i = 0; i < 2000; ++i) multiply(runtime);
    }
    EXPECT_THAT(children(), IsEmpty());
    EXPECT_THAT(log(), HasSubstr(" end plans="));
  });
  unsetenv("TRIODE_TUNER_METRICS");
  const std::string listing = (folder_.path() / "listing").string();
  const std::string program = TRIODE_CACHE_PROGRAM;
  const std::string cache = " --cache " + (folder_.path() / "cache").string();
  ASSERT_EQ(std::system((program + " compact --quiet" + cache).c_str()), 0);
  ASSERT_EQ(std::system((program + " ls --json" + cache + " > " + listing).c_str()), 0);
  EXPECT_EQ(sum_after("\"configs\": ?", text_of(listing)),
            sum_after("trials_total\\{.*\\} ", text_of(metrics)));
}

TEST_F(InProcess, ForkedChildUsesItsParentsTuner) {
  in_fresh_process([this] {
    const Runtime runtime(options());
    multiply_until_planned(runtime);
    in_fresh_process([&] {
      const Runtime::Shape other{.m = kSize, .n = kSize, .k = kSize / 2};
      const auto end = std::chrono::steady_clock::now() + kPatience;
      while (runtime.query<float>(other).answered_by != TRIODE_BY_TRIODE) {
        ASSERT_LT(std::chrono::steady_clock::now(), end) << log();
        runtime.gemm(other, 1, a_, b_, 0, c_);
      }
    });
  });
  EXPECT_EQ(log().find(" start "), log().rfind(" start "));
}

TEST_F(InProcess, ForkedChildEndsByExitAndHoldsNothingOfIt) {
  in_fresh_process([this] {
    const Runtime runtime(options());
    const long files = entries_of("/proc/self/fd");
    multiply_until_planned(runtime);
    EXPECT_EQ(entries_of("/proc/self/fd"), files);
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);  // a hang ends, and fails the test
      std::exit(entries_of("/proc/self/fd") == files ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  });
}

TEST_F(InProcess, WhereNoCacheCanBeKeptTheVendorAnswers) {
  in_fresh_process([this] {
    const std::string file = (folder_.path() / "cache").string();
    std::ofstream(file) << "mine";
    const Runtime runtime(options());
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
    while (std::chrono::steady_clock::now() < end) multiply(runtime);
    EXPECT_FALSE(has_plan(runtime));
    EXPECT_EQ(text_of(file), "mine");
  });
}

}  // namespace
}  // namespace triode
