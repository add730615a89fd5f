// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/background_thread.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <new>
#include <utility>
#include <vector>

#include "core/clock.h"
#include "runtime/host/file_descriptor.h"
#include "runtime/host/kept_plans.h"
#include "runtime/host/local_search.h"
#include "runtime/host/local_tuning.h"
#include "runtime/host/quiet_thread.h"
#include "runtime/host/thread_record.h"
#include "runtime/host/tuner_client.h"
#include "runtime/host/warning.h"
#include "runtime/host/without_memory.h"
#include "runtime/tuner/meeting_place.h"
#include "runtime/tuner/tuner_reach.h"

namespace triode::host {
namespace {

// How often the counters are looked at while nothing is to be done: about a thousandth of a core.
constexpr std::chrono::milliseconds kIdle(20);

// After a search it rests as long as the search took, so that it takes half a core at most.
constexpr int kRestPerWork = 1;

// For a tuner to start.
constexpr std::chrono::seconds kTunerPatience(5);

// Ends the thread before any library's destructor runs: handlers run in the reverse of the order in
// which they were registered, and the loader registered those of all libraries before this.
std::atomic<BackgroundThread*> thread_to_stop{nullptr};

void stop_at_exit() {
  if (BackgroundThread* const thread = thread_to_stop.load(std::memory_order_acquire))
    thread->stop();
}

// Where there is no such device, they stay as they are.
bool point_to_nothing(std::initializer_list<int> descriptors) {
  const FileDescriptor null(open("/dev/null", O_RDWR | O_CLOEXEC));
  for (const int descriptor : descriptors) {
    if (null.is_open()) dup2(null.number(), descriptor);
  }
  return true;
}

// Gives the calling thread descriptors of its own, of which only stderr is the program's, for as
// long as there may be a warning: a pipe that the program closes must not stay open here.
bool leave_descriptors() {
  if (syscall(SYS_close_range, STDERR_FILENO + 1, ~0u, CLOSE_RANGE_UNSHARE) != 0) return false;
  return point_to_nothing({STDIN_FILENO, STDOUT_FILENO});
}

}  // namespace

void BackgroundThread::start() noexcept {
  const std::lock_guard lock(mutex_);
  if (is_started_ || should_stop()) return;
  is_started_ = true;
  const auto body = [](void* self) -> void* {
    static_cast<BackgroundThread*>(self)->run();
    return nullptr;
  };
  if (!start_quiet_thread(thread_, body, this)) return;
  is_joinable_ = true;
  thread_to_stop.store(this, std::memory_order_release);
  static const int registered = std::atexit(stop_at_exit);
  static_cast<void>(registered);  // without memory for it, end_host() stops it later
}

void BackgroundThread::stop() noexcept {
  bool joins = false;
  {
    const std::lock_guard lock(mutex_);
    stops_.store(true, std::memory_order_relaxed);
    joins = std::exchange(is_joinable_, false);
  }
  stop_called_.notify_all();
  if (joins) pthread_join(thread_, nullptr);
}

void BackgroundThread::forget_thread() noexcept {
  new (&mutex_) std::mutex;
  new (&stop_called_) std::condition_variable;
  is_joinable_ = false;
  is_started_ = false;
  if (parts_.own_tuner != nullptr) parts_.own_tuner->forget();
  stops_.store(false, std::memory_order_relaxed);
}

void BackgroundThread::run() {
  // Its own calls of a BLAS, and those a BLAS makes in turn, are nobody's to count.
  ThreadRecord* const record = adopt_thread_record();
  if (record == nullptr) return;
  record->enter_vendor(kAnyFrame);
  const auto tune_until_stopped = [this] { return tune(), true; };
  if (!or_without_memory(tune_until_stopped, false)) {
    warn_once("no memory left for a search; no further calls are tuned.");
  }
}

void BackgroundThread::tune() {
  const CpuPlanMaker* const maker = parts_.cpu_maker.get();
  if (maker == nullptr) return;
  if (parts_.tuner == TunerPlace::kLocalSearch) return search_locally(*maker);
  if (!leave_descriptors()) {
    return warn_once("no tuner: this system is too old for a socket that programs do not see.");
  }
  talk_to_tuner(*maker);
  if (parts_.own_tuner != nullptr) parts_.own_tuner->stop();
}

void BackgroundThread::search_locally(const CpuPlanMaker& maker) {
  KeptPlans kept(kept_plans_path(parts_.cache_folder), maker.device().target());
  LocalSearch source(maker.device(), {}, steady_clock());
  LocalTuning tuning({parts_.table, maker, parts_.published, parts_.ticks}, source, kept);
  const std::function<bool()> stops = [this] { return should_stop(); };
  while (!should_stop()) {
    const std::chrono::nanoseconds begin = steady_clock().now();
    const bool has_worked = tuning.step(stops);
    rest(has_worked ? kRestPerWork * (steady_clock().now() - begin) : kIdle);
  }
}

void BackgroundThread::talk_to_tuner(const CpuPlanMaker& maker) {
  std::vector<std::unique_ptr<TunerClient>> clients;  // the processor's, then those of GPUs
  clients.push_back(make_client(maker));
  const std::function<bool()> stops = [this] { return should_stop(); };
  bool has_stderr = true;
  while (!should_stop()) {
    while (const PlanMaker* const gpu = parts_.gpus.maker(clients.size() - 1)) {
      clients.push_back(make_client(*gpu));
    }
    for (const auto& client : clients) client->step(stops);
    if (has_stderr && clients.front()->has_nothing_to_say()) {
      has_stderr = !point_to_nothing({STDERR_FILENO});
    }
    rest(kIdle);
  }
}

Result<FileDescriptor> BackgroundThread::reach_tuner(const std::function<bool()>& stops) {
  const tuner::MeetingPlace place = TRIODE_TRY(tuner::find_meeting_place(parts_.cache_folder));
  if (parts_.own_tuner == nullptr) {
    const std::string program = TRIODE_TRY(tuner::find_tuner_program());
    return tuner::reach_tuner(place, program, kTunerPatience, stops);
  }
  auto reached = parts_.own_tuner->reach(place, kTunerPatience, stops);
  // Once more, since the tuner's libraries have registered their ends by now, which come first
  // otherwise.
  static_cast<void>(std::atexit(stop_at_exit));
  return reached;
}

std::unique_ptr<TunerClient> BackgroundThread::make_client(const PlanMaker& maker) {
  const auto reach = [this](const std::function<bool()>& stops) { return reach_tuner(stops); };
  // No model chooses for GPUs yet.
  const bool trusts_model = parts_.trusts_model && maker.gpu_driver().empty();
  return std::make_unique<TunerClient>(
      PlanPublisher::Parts{parts_.table, maker, parts_.published, parts_.ticks},
      TunerClient::Options{steady_clock(), reach, trusts_model});
}

void BackgroundThread::rest(std::chrono::nanoseconds duration) {
  std::unique_lock lock(mutex_);
  stop_called_.wait_for(lock, duration, [this] { return should_stop(); });
}

}  // namespace triode::host
