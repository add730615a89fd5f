// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/status.h"
#include "runtime/tuner/connection.h"
#include "runtime/tuner/trial_runner.h"
#include "runtime/tuner/worker_messages.h"
#include "runtime/tuner/worker_process.h"

namespace triode::tuner {

struct WorkerOptions {
  std::string program;                 // file that runs run_trial_worker() on descriptor 3
  std::vector<std::string> arguments;  // with the program's name for itself
  // Time for a trial besides the vendor's own calls: beyond, it hangs. Raising it lets a hang cost
  // more; below, a busy machine looks like one.
  std::chrono::milliseconds trial_limit = std::chrono::milliseconds(3000);
  std::chrono::milliseconds begin_limit = std::chrono::seconds(30);  // loads a library
  // Asked while a worker is waited for. Once it says true the worker is ended in mid-trial.
  std::function<bool()> should_stop = {};
  // The code of a config for a GPU, which the worker is sent. Empty: there is none.
  std::function<Result<std::string>(const TunedCall&, const std::string& config)> code_of = {};
};

// Runs trials in a child process, and starts another when one is lost: a crash, a hang or an end
// for lack of memory is an outcome. A lost worker is back, with the same call begun, before the
// next trial. A trial that was stopped is kUnstable: it says nothing of its config. Not
// thread-safe, but for the counters.
class WorkerRunner final : public TrialRunner {
 public:
  explicit WorkerRunner(WorkerOptions options) : options_(std::move(options)) {}
  ~WorkerRunner() override { stop(); }

  Result<std::chrono::nanoseconds> begin(const TunedCall& call) override;
  TrialResult try_config(const std::string& config) override;
  CheckResult check_config(const std::string& config) override;
  RaceResult race(const std::string& config, std::chrono::nanoseconds budget) override;

  // Ends the worker, if there is one, by SIGKILL.
  void stop();

  pid_t process() const { return process_.load(); }     // 0: none
  uint64_t started() const { return started_.load(); }  // workers so far
  uint64_t lost() const { return lost_.load(); }        // of them, by what they ran

 private:
  Status start();
  Status begin_here();
  TrialAnswer ask(const TrialRequest& request);
  Result<Frame> await(std::chrono::milliseconds limit);
  bool is_stopped() const { return options_.should_stop && options_.should_stop(); }
  Outcome bury(const Status& why);
  std::optional<WorkerProcess> take_worker();

  const WorkerOptions options_;
  std::optional<TunedCall> call_;
  bool has_begun_ = false;  // the worker there is, with call_
  std::string loaded_;      // library and threads that it was started for
  double vendor_ns_ = 0;
  std::optional<WorkerProcess> worker_;
  std::unique_ptr<Connection> connection_;
  std::atomic<pid_t> process_{0};  // the worker's, for other threads
  std::atomic<uint64_t> started_{0};
  std::atomic<uint64_t> lost_{0};
};

}  // namespace triode::tuner
