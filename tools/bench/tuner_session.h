// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/status.h"
#include "tools/bench/child_process.h"
#include "tools/bench/tuner_results.h"
#include "tools/run/program_variables.h"

namespace triode::bench {

// What a tuner says of itself.
struct TunerCounts {
  pid_t process = 0;
  pid_t worker = 0;  // 0: none
  bool is_busy = false;
  std::size_t plans = 0;  // in its book
  SearchEffort effort;    // but for the time
};

// Reads the answer of `triode tuner status --json`. kCorrupt if it is none.
Result<TunerCounts> read_tuner_counts(const std::string& text);

// The tuner of one cache folder and the programs it works for. Nothing is started before a program
// is; what runs at the end is stopped. One thread.
class TunerSession {
 public:
  // `variables` are set for the programs, and for the tuner, which the first of them starts.
  // kNotFound if `triode-run` and `triode-tuner` are not beside this program.
  static Result<TunerSession> open(const std::string& cache,
                                   const std::vector<run::Variable>& variables);
  TunerSession(TunerSession&& other) noexcept = default;
  TunerSession& operator=(TunerSession&&) = delete;
  ~TunerSession() { stop(); }

  // `triode run --mode MODE --tuner process COMMAND`.
  Result<ChildProcess> start(const std::string& mode, const std::vector<std::string>& command,
                             const std::vector<std::string>& options = {}) const;
  // The same without `triode run`.
  Result<ChildProcess> start_plainly(const std::vector<std::string>& command) const;

  // Empty if no tuner answers.
  std::optional<TunerCounts> counts() const;

  // Waits until the tuner has had nothing to do for a while. False if the program ends before, the
  // time is up, or somebody interrupts.
  bool wait_until_idle(const ChildProcess& program, std::chrono::seconds limit) const;

  void stop();

 private:
  TunerSession() = default;

  std::string run_, tuner_, cache_;  // cache_ is empty after a move
  std::vector<std::string> environment_;
};

// From now on SIGINT and SIGTERM do not end this process, so that it can end what it has started;
// reading from a program ends early then. Whether one came.
void catch_interruptions();
bool was_interrupted();

// Whether a child has ended; it can still be waited for.
bool has_ended(pid_t process);

// Ends the program by SIGTERM and gives what it says if that is not the end it should take.
Status finish(ChildProcess& program);
// The same without a signal: lets it come to its end. kUnavailable at once after an interruption.
Status await_end(ChildProcess& program);

// Seconds of processor time that a process has used; 0 if there is none.
double cpu_seconds(pid_t process);

}  // namespace triode::bench
