// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/worker_runner.h"

#include <signal.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace triode::tuner {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

// Vendor's calls that a trial may take besides its limit: checks, quick samples of a config many
// times slower, and the rounds of a race that are taken whatever its budget.
constexpr double kCallsAllowed = 400;

constexpr int kBeginAttempts = 3;

// How long a stop may go unnoticed while a worker is waited for.
constexpr milliseconds kSlice(50);

// For a process that has closed its socket to end: it is about to, unless a kernel closed it.
constexpr milliseconds kEndPatience(200);

milliseconds to_milliseconds(double ns) {
  return milliseconds(static_cast<int64_t>(ns / 1e6) + 1);
}

}  // namespace

Status WorkerRunner::start() {
  stop();
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return unavailable(std::string("cannot make a socket for a worker: ") + std::strerror(errno));
  }
  FileDescriptor ours(ends[0]), theirs(ends[1]);
  worker_ = TRIODE_TRY(WorkerProcess::start(options_.program, options_.arguments,
                                            call_->call.threads, theirs.number()));
  ++started_;
  process_ = worker_->id();
  loaded_ = call_->call.identity + ' ' + std::to_string(call_->call.threads);
  connection_ = std::make_unique<Connection>(std::move(ours), kMostRequestBytes);
  return {};
}

void WorkerRunner::stop() {
  const std::optional<WorkerProcess> worker = take_worker();
  if (worker) worker->kill();
}

// The worker there is, if any, with which nobody speaks any more.
std::optional<WorkerProcess> WorkerRunner::take_worker() {
  process_ = 0;
  connection_.reset();
  has_begun_ = false;
  return std::exchange(worker_, std::nullopt);
}

// The worker's answer, as Connection::receive_within(), unless a stop comes first.
Result<Frame> WorkerRunner::await(milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  for (;;) {
    const auto left = std::chrono::ceil<milliseconds>(end - std::chrono::steady_clock::now());
    Result<Frame> frame = connection_->receive_within(std::clamp(left, milliseconds(0), kSlice));
    if (frame.ok() || frame.status().code() != StatusCode::kUnavailable) return frame;
    if (connection_->is_closed() || left <= kSlice || is_stopped()) return frame;
  }
}

// Takes leave of a worker that did not answer, or not as workers do.
Outcome WorkerRunner::bury(const Status& why) {
  ++lost_;
  const bool was_silent = !connection_->is_closed();
  const std::optional<WorkerProcess> worker = take_worker();
  const auto by_itself =
      was_silent ? std::optional<WorkerProcess::End>() : worker->await_end(kEndPatience);
  const WorkerProcess::End end = by_itself ? *by_itself : worker->kill();
  // What it runs may have overwritten its memory.
  if (why.code() != StatusCode::kUnavailable) return {OutcomeKind::kCrashed, why.message()};
  if (was_silent) return {OutcomeKind::kTimedOut, "it had not ended when its time was up"};
  if (!by_itself && end.signal == SIGKILL) {
    return {OutcomeKind::kCrashed, "the worker's connection was closed by what it ran"};
  }
  return end.outcome();
}

Result<nanoseconds> WorkerRunner::begin(const TunedCall& call) {
  const std::string wanted = call.call.identity + ' ' + std::to_string(call.call.threads);
  call_ = call;
  if (loaded_ != wanted) stop();
  TRIODE_TRY(begin_here());
  return nanoseconds(static_cast<int64_t>(vendor_ns_));
}

Status WorkerRunner::begin_here() {
  const BeginRequest request{call_->call, call_->target.fingerprint(), call_->target.cores};
  for (int attempt = 1;; ++attempt) {
    if (!worker_) TRIODE_TRY(start());
    Status sent = connection_->send(to_frame(request));
    Result<Frame> frame = sent.ok() ? await(options_.begin_limit) : sent;
    if (frame.ok()) {
      const BeginAnswer answer = TRIODE_TRY(from_frame<BeginAnswer>(*frame));
      if (!answer.error.empty()) return unsupported(answer.error);
      vendor_ns_ = answer.vendor_ns;
      has_begun_ = true;
      return {};
    }
    if (is_stopped()) {
      stop();
      return unavailable("the tuner was stopped");
    }
    const Outcome end = bury(frame.status());
    // Being killed says something of the machine, not of the vendor's function.
    if (end.kind != OutcomeKind::kOutOfMemory || attempt == kBeginAttempts) {
      return unsupported("the vendor's function cannot be called in a worker: " + end.reason);
    }
  }
}

TrialAnswer WorkerRunner::ask(const TrialRequest& request) {
  TrialAnswer lost;
  const auto lose = [&lost](const Outcome& outcome) {
    lost.outcome = outcome.kind;
    lost.reason = outcome.reason;
    return lost;
  };
  if (!has_begun_) {
    const Status begun = begin_here();
    if (!begun.ok()) return lose({OutcomeKind::kLaunchFailed, begun.message()});
  }
  const milliseconds limit = options_.trial_limit + to_milliseconds(kCallsAllowed * vendor_ns_) +
                             to_milliseconds(2 * static_cast<double>(request.race_budget_ns));
  TrialRequest complete = request;
  if (!call_->call.gpu_driver.empty() && options_.code_of) {
    auto code = options_.code_of(*call_, request.config);
    if (!code.ok()) return lose(outcome_of_failure(code.status(), OutcomeKind::kCompileFailed));
    complete.code = std::move(code).take();
  }
  const Status sent = connection_->send(to_frame(complete));
  Result<Frame> frame = sent.ok() ? await(limit) : sent;
  if (!frame.ok() && is_stopped()) {
    stop();
    return lose({OutcomeKind::kUnstable, "the tuner was stopped"});
  }
  if (!frame.ok()) return lose(bury(frame.status()));
  const auto answer = from_frame<TrialAnswer>(*frame);
  if (!answer.ok()) return lose(bury(answer.status()));
  if (answer->is_last) {
    ++lost_;
    stop();
  }
  return *answer;
}

TrialResult WorkerRunner::try_config(const std::string& config) {
  const TrialAnswer answer = ask({config, TrialPurpose::kTry, 0});
  return {{answer.outcome, answer.reason}, answer.candidate.to_measurement(), answer.code_digest};
}

CheckResult WorkerRunner::check_config(const std::string& config) {
  const TrialAnswer answer = ask({config, TrialPurpose::kCheck, 0});
  return {{answer.outcome, answer.reason}, answer.code_digest};
}

RaceResult WorkerRunner::race(const std::string& config, nanoseconds budget) {
  const TrialAnswer answer = ask({config, TrialPurpose::kRace, budget.count()});
  RaceResult result{{answer.outcome, answer.reason}, {}, answer.code_digest};
  result.pair.candidate = answer.candidate.to_measurement();
  result.pair.vendor = answer.vendor.to_measurement();
  result.pair.speedup = answer.speedup;
  result.pair.speedup_spread = answer.speedup_spread;
  result.pair.rejected = answer.rejected;
  return result;
}

}  // namespace triode::tuner
