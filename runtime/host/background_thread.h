// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>

#include "core/settings.h"
#include "runtime/host/gpu_plans.h"
#include "runtime/host/lazy_cpu_plan_maker.h"
#include "runtime/host/own_tuner.h"
#include "runtime/host/plan_table.h"
#include "runtime/host/published_plans.h"
#include "runtime/host/tick_clock.h"

namespace triode::host {

class TunerClient;

// The one thread that Triode has in a program: it runs the LocalTuning, or the TunerClient where a
// tuner does the work. Blocks all signals, so that the program's handlers run on the program's
// threads. With a tuner it has descriptors of its own: the program does not see the socket, cannot
// close it, and hands it to no child. A tuner in the process is started and ended here, and has the
// same descriptors.
class BackgroundThread {
 public:
  struct Parts {
    PlanTable& table;
    LazyCpuPlanMaker& cpu_maker;
    GpuPlans& gpus;
    PublishedPlans& published;
    const TickClock& ticks;
    std::string cache_folder;  // see kept_plans_path()
    TunerPlace tuner;
    OwnTuner* own_tuner;  // where the tuner is in the process
    bool trusts_model;    // see Settings::trust_model
  };

  explicit BackgroundThread(Parts parts) : parts_(std::move(parts)) {}

  // Starts the thread, the first time and unless stop() came first. Fails in silence: the program
  // then runs as it did.
  void start() noexcept;

  // Ends the thread and waits for it: about as long as one call takes. Before the program's
  // libraries are taken down, since a trial calls them.
  void stop() noexcept;

  // In a forked child, which has no such thread; start() may start one.
  void forget_thread() noexcept;

 private:
  void run();
  void tune();
  void search_locally(const CpuPlanMaker& maker);
  void talk_to_tuner(const CpuPlanMaker& maker);
  Result<FileDescriptor> reach_tuner(const std::function<bool()>& stops);
  std::unique_ptr<TunerClient> make_client(const PlanMaker& maker);
  bool should_stop() const { return stops_.load(std::memory_order_relaxed); }
  void rest(std::chrono::nanoseconds duration);

  Parts parts_;
  std::mutex mutex_;  // guards the start, and what follows; stops_ may be read without
  bool is_started_ = false;
  bool is_joinable_ = false;
  std::atomic<bool> stops_{false};
  pthread_t thread_{};
  std::condition_variable stop_called_;
};

}  // namespace triode::host
