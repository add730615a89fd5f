// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/client.h"

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
#include "runtime/host/quiet_thread.h"
#include "runtime/host/thread_record.h"
#include "runtime/host/tuner_loop.h"
#include "runtime/host/tuning_loop.h"
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

// Ends the client before any library's destructor runs: handlers run in the reverse of the order in
// which they were registered, and the loader registered those of all libraries before this.
std::atomic<Client*> client_to_stop{nullptr};

void stop_at_exit() {
  if (Client* const client = client_to_stop.load(std::memory_order_acquire)) client->stop();
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

void Client::start() noexcept {
  const std::lock_guard lock(mutex_);
  if (is_started_ || should_stop()) return;
  is_started_ = true;
  const auto body = [](void* self) -> void* {
    static_cast<Client*>(self)->run();
    return nullptr;
  };
  if (!start_quiet_thread(thread_, body, this)) return;
  is_joinable_ = true;
  client_to_stop.store(this, std::memory_order_release);
  static const int registered = std::atexit(stop_at_exit);
  static_cast<void>(registered);  // without memory for it, end_host() stops the client later
}

void Client::stop() noexcept {
  bool joins = false;
  {
    const std::lock_guard lock(mutex_);
    stops_.store(true, std::memory_order_relaxed);
    joins = std::exchange(is_joinable_, false);
  }
  stop_called_.notify_all();
  if (joins) pthread_join(thread_, nullptr);
}

void Client::forget_thread() noexcept {
  new (&mutex_) std::mutex;
  new (&stop_called_) std::condition_variable;
  is_joinable_ = false;
  is_started_ = false;
  if (parts_.own_tuner != nullptr) parts_.own_tuner->forget();
  stops_.store(false, std::memory_order_relaxed);
}

void Client::run() {
  // Its own calls of a BLAS, and those a BLAS makes in turn, are nobody's to count.
  ThreadRecord* const record = adopt_thread_record();
  if (record == nullptr) return;
  record->enter_vendor(kAnyFrame);
  const auto tune_until_stopped = [this] { return tune(), true; };
  if (!or_without_memory(tune_until_stopped, false)) {
    warn_once("no memory left for a search; no further calls are tuned.");
  }
}

void Client::tune() {
  const PlanBuilder* const builder = parts_.builders.get();
  if (builder == nullptr) return;
  switch (parts_.tuner) {
    case TunerPlace::kLocalSearch:
      return tune_here(*builder);
    case TunerPlace::kInProcess:
      talk_to_tuner(*builder);
      return parts_.own_tuner->stop();
    case TunerPlace::kProcess:
      return tune_elsewhere(*builder);
  }
}

void Client::tune_here(const PlanBuilder& builder) {
  KeptPlans kept(kept_plans_path(parts_.cache_folder), builder.device().target());
  LocalSearch source(builder.device(), {}, steady_clock());
  TuningLoop loop({.table = parts_.table,
                   .builder = builder,
                   .published = parts_.published,
                   .ticks = parts_.ticks,
                   .source = source,
                   .kept = kept});
  const std::function<bool()> stops = [this] { return should_stop(); };
  while (!should_stop()) {
    const std::chrono::nanoseconds begin = steady_clock().now();
    const bool has_worked = loop.step(stops);
    rest(has_worked ? kRestPerWork * (steady_clock().now() - begin) : kIdle);
  }
}

void Client::tune_elsewhere(const PlanBuilder& builder) {
  if (!leave_descriptors()) {
    return warn_once("no tuner: this system is too old for a socket that programs do not see.");
  }
  talk_to_tuner(builder);
}

void Client::talk_to_tuner(const PlanBuilder& builder) {
  std::vector<std::unique_ptr<TunerLoop>> loops;  // the processor's, then those of GPUs
  loops.push_back(make_loop(builder));
  const std::function<bool()> stops = [this] { return should_stop(); };
  bool has_stderr = parts_.own_tuner == nullptr;
  while (!should_stop()) {
    while (const PlanMaker* const gpu = parts_.gpus.maker(loops.size() - 1)) {
      loops.push_back(make_loop(*gpu));
    }
    for (const auto& loop : loops) loop->step(stops);
    if (has_stderr && loops.front()->has_nothing_to_say()) {
      has_stderr = !point_to_nothing({STDERR_FILENO});
    }
    rest(kIdle);
  }
}

Result<FileDescriptor> Client::reach_tuner(const std::function<bool()>& stops) {
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

std::unique_ptr<TunerLoop> Client::make_loop(const PlanMaker& maker) {
  const auto reach = [this](const std::function<bool()>& stops) { return reach_tuner(stops); };
  return std::make_unique<TunerLoop>(
      TunerLoop::Parts{.table = parts_.table,
                       .maker = maker,
                       .published = parts_.published,
                       .ticks = parts_.ticks,
                       .clock = steady_clock(),
                       .reach = reach,
                       // No model chooses for GPUs yet.
                       .trusts_model = parts_.trusts_model && maker.gpu_driver().empty()});
}

void Client::rest(std::chrono::nanoseconds duration) {
  std::unique_lock lock(mutex_);
  stop_called_.wait_for(lock, duration, [this] { return should_stop(); });
}

}  // namespace triode::host
