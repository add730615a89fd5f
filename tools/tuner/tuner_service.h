// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "core/status.h"
#include "runtime/host/file_lock.h"
#include "runtime/tuner/event_log.h"
#include "runtime/tuner/meeting_place.h"
#include "runtime/tuner/pace.h"
#include "runtime/tuner/pacer.h"
#include "runtime/tuner/plan_book.h"
#include "runtime/tuner/server.h"
#include "runtime/tuner/status_messages.h"
#include "runtime/tuner/trial_log.h"
#include "runtime/tuner/tuner.h"
#include "runtime/tuner/worker_runner.h"
#include "tools/tuner/cpu_machine.h"
#include "tools/tuner/cpu_ranker.h"
#include "tools/tuner/gpu_machine.h"
#include "tools/tuner/gpu_rankers.h"
#include "tools/tuner/ranker_by_place.h"
#include "tools/tuner/tuner_options.h"
#include "tools/tuner/watched_folder.h"

namespace triode::tuner {

// The lock of the cache, whose folder is made if need be: for the one tuner that it may have. Empty
// if another has it.
Result<std::optional<FileLock>> claim_cache(const MeetingPlace& place);

// Beside half a dozen busy threads a core a tuner still gets a twentieth of one: at 10 a machine
// that is never idle would hardly be answered.
constexpr int kNiceness = 5;

// Programs go first: the calling thread yields to them, as do those that it starts.
void yield_to_programs();

// The tuner of a cache, whatever process it lives in: answers programs and commands on the thread
// that serves, and tunes on one of its own. Trials run in children of the process.
class TunerService {
 public:
  struct Options {
    // Cores, margin, model, metrics and idle time are of interest.
    const TunerOptions& tuner;
    std::string worker_program;  // file of `triode-tuner`
    // With a program: what belongs to the process, threads and children and what they took of the
    // cores, is not the tuner's then. No library is used that starts threads of its own, which a
    // program may share without knowing; RocksDB's, besides, keep a forked child from ending.
    bool shares_process = false;
  };

  // Listens at the place, of which `lock` is the lock, and opens the cache. Threads that are
  // started here, and later, have the signal mask and the niceness of the caller.
  static Result<std::unique_ptr<TunerService>> open(MeetingPlace place, FileLock lock,
                                                    const Options& options);
  TunerService(const TunerService&) = delete;
  TunerService& operator=(const TunerService&) = delete;
  ~TunerService() = default;

  // Until end(), a command that says stop, `stop_signal` (a descriptor; -1: none) becomes readable,
  // the cache's folder vanishes, or nobody has been connected for the idle time. Once.
  Status serve(int stop_signal);

  // From any thread: serve() returns once the trial that is under way was given up.
  void end();

 private:
  // Something that is waited for, or slept through until then.
  class Stop {
   public:
    bool was_called() const { return was_called_; }
    void call();
    void sleep(std::chrono::nanoseconds duration);

   private:
    std::mutex mutex_;
    std::condition_variable called_;
    std::atomic<bool> was_called_{false};
  };

  TunerService(MeetingPlace place, FileLock lock, const Options& options, FileDescriptor listener,
               const std::string& store);
  WorkerOptions worker_options(const std::string& program);
  Tuner::Parts tuner_parts();
  void tune_until_stopped() noexcept;
  void tune();
  void write_metrics() const;
  StatusAnswer describe() const;

  const std::chrono::nanoseconds begin_;
  const MeetingPlace place_;
  const FileLock lock_;
  const bool shares_process_;
  const std::string metrics_file_;
  Stop stop_;
  EventLog events_;
  const std::unique_ptr<TrialLog> trials_;
  const WatchedFolder store_;
  PlanBook book_;
  CpuMachine machine_;
  GpuMachine gpus_;
  CpuRanker cpu_ranker_;
  GpuRankers gpu_rankers_;
  RankerByPlace ranker_;
  WorkerRunner worker_;
  MachineLoad load_;
  Pacer pacer_;
  Tuner tuner_;
  Server server_;
};

}  // namespace triode::tuner
