// SPDX-License-Identifier: Apache-2.0
// The start of mode frozen with a threaded plan, which loads a library, while another thread holds
// the loader's lock and makes a first call of its own.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <triode/triode.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "jit/x86/gemm_space.h"
#include "runtime/device/cpu_device.h"
#include "runtime/device/usable_cores.h"
#include "runtime/host/plan_file.h"
#include "runtime/search/config_search.h"
#include "tests/host/api_use.h"
#include "tests/host/fresh_process.h"
#include "tests/host/small_product.h"
#include "tests/runtime/temporary_folder.h"

extern "C" __attribute__((visibility("default"))) void while_loading();

namespace triode {
namespace {

constexpr int kThreads = 2;
constexpr unsigned kPatienceSeconds = 60;  // a start that hangs is a failure
constexpr int kSoManyTimesAsleep = 5;      // in a row: a thread that waits, not one that is paused

// Writes a plan of two threads, which answers no call of this test. Its problem is one of any
// alignment, so that mode frozen has to build it.
Status write_threaded_plan(const std::string& path) {
  Problem problem = Problem::mm(DType::kF32, 96, 96, 96);
  problem.alignment_bytes = 4;
  problem.threads = kThreads;
  const std::unique_ptr<CpuDevice> device = TRIODE_TRY(CpuDevice::create());
  const Space space = TRIODE_TRY(device->enumerate(problem));
  const std::vector<Config> configs = spread_over_threads(
      space, std::vector{x86::promising_configs(space, problem).front()}, kThreads);
  const std::unique_ptr<Artifact> artifact = TRIODE_TRY(device->build(problem, configs.front()));
  const StoredPlan plan{.problem = problem,
                        .config = space.to_string(configs.front()),
                        .vendor = "libanother.so 12 cblas_sgemm",
                        .code_digest = artifact->digest(),
                        .speedup = 2,
                        .vendor_ns = 2,
                        .plan_ns = 1};
  return merge_into_plan_file(path, device->target(), {&plan, 1});
}

bool multiplies() {
  SmallProduct<float> product;
  return triode_gemm(&product.call) == TRIODE_OK && product.is_computed();
}

// As the kernel calls it: R runs, S sleeps. Empty if there is no such thread.
std::optional<char> state_of(pid_t thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string text;
  std::getline(file, text);
  const size_t name_end = text.rfind(") ");
  return name_end == std::string::npos ? std::nullopt : std::optional(text[name_end + 2]);
}

// True once the thread waits for something, false if it has ended.
bool wait_until_it_waits(pid_t thread) {
  for (int asleep = 0; asleep < kSoManyTimesAsleep;) {
    const std::optional<char> state = state_of(thread);
    if (!state) return false;
    asleep = *state == 'S' ? asleep + 1 : 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

// A thread that starts Triode. By triode_init(): a first call would ask the loader who answers it,
// and wait there.
struct Starter {
  std::atomic<pid_t> id{0};
  std::atomic<triode_status> status{TRIODE_INTERNAL};
  std::thread thread;

  void start() {
    thread = std::thread([this] {
      id = gettid();
      status = triode_init(nullptr);
    });
    while (id == 0) std::this_thread::yield();
  }
};
Starter starter;
bool starter_has_waited = false;
bool is_right_while_loading = false;

TEST(FrozenStart, WaitsForNoLibraryWhoseConstructorMultiplies) {
  const TemporaryFolder folder;
  const std::string plans = (folder.path() / "some.plans").string();
  if (usable_cores() < kThreads) GTEST_SKIP() << "needs two cores";
  in_fresh_process([&] {
    const Status written = write_threaded_plan(plans);
    EXPECT_TRUE(written.ok()) << written.to_string();
  });
  in_fresh_process([&] {
    alarm(kPatienceSeconds);
    setenv("TRIODE_MODE", "frozen", 1);
    setenv("TRIODE_PLANS", plans.c_str(), 1);
    ASSERT_NE(dlopen(TRIODE_LOAD_CALLING_BACK, RTLD_NOW), nullptr) << dlerror();
    starter.thread.join();
    EXPECT_TRUE(starter_has_waited) << "the plan has loaded no library";
    EXPECT_TRUE(is_right_while_loading);
    EXPECT_EQ(starter.status, TRIODE_ALREADY_STARTED);
    EXPECT_EQ(statistics().mode, TRIODE_MODE_FROZEN);
  });
}

}  // namespace
}  // namespace triode

extern "C" void while_loading() {
  using namespace triode;
  starter.start();
  starter_has_waited = wait_until_it_waits(starter.id);
  is_right_while_loading = multiplies();
}
