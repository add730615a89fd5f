// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/tuner_client.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "runtime/host/blas_symbols.h"
#include "runtime/host/vendor.h"
#include "runtime/host/vendor_name.h"
#include "runtime/host/warning.h"
#include "triode_version.h"

namespace triode::host {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

// A tuner that was killed is started again soon; one that cannot live is not started all the time.
constexpr seconds kFirstPause(1);
constexpr seconds kLongestPause(60);

// For the first answers of a tuner, which has all plans to send.
constexpr milliseconds kGreetingPatience(2000);
constexpr milliseconds kSlice(20);  // after which the program may want to end

// How often the tuner hears what waiting calls have cost by now.
constexpr seconds kBetweenFigures(1);

// In one message, so that it stays below tuner::kMostRequestBytes.
constexpr size_t kMostReports = 128;

tuner::CallFigures figures_of(const EntryTally& tally) {
  return {tally.by_vendor.calls, tally.by_vendor.total_ns(), tally.by_us.calls,
          tally.by_us.total_ns()};
}

std::string own_program() {
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "?" : path.string();
}

}  // namespace

void TunerClient::step(const std::function<bool()>& should_stop) {
  publisher_.free_unused();
  if (connection_ == nullptr) connect(should_stop);
  withdraw_slower();
  if (connection_ == nullptr) return;
  Status status = receive_all();
  if (status.ok()) status = report_withdrawn();
  if (status.ok()) status = report_worthwhile();
  if (status.ok()) status = connection_->flush();
  if (!status.ok()) lose(status);
}

void TunerClient::connect(const std::function<bool()>& should_stop) {
  if (has_given_up_ || options_.clock.now() < next_try_ || should_stop()) return;
  auto socket = options_.reach(should_stop);
  if (should_stop()) return;
  if (!socket.ok()) {
    has_given_up_ = socket.status().code() != StatusCode::kUnavailable;
    return lose(socket.status());
  }
  connection_ =
      std::make_unique<tuner::Connection>(std::move(socket).take(), tuner::kMostAnswerBytes);
  if (const Status greeted = greet(should_stop); !greeted.ok()) {
    if (should_stop()) return connection_.reset();
    // Another version, or no tuner at all: that does not pass. One that ended in mid-greeting is
    // not worth a warning, unless the next one does too.
    has_given_up_ = greeted.code() != StatusCode::kUnavailable;
    const bool is_first = !std::exchange(has_lost_greeting_, true);
    return has_given_up_ || !is_first ? lose(greeted) : pause();
  }
  has_connected_ = true;
  between_tries_ = nanoseconds(0);
}

Result<tuner::Frame> TunerClient::await(const std::function<bool()>& should_stop) {
  Result<tuner::Frame> frame = unavailable("stopped");
  for (milliseconds waited(0); waited < kGreetingPatience && !should_stop(); waited += kSlice) {
    frame = connection_->receive_within(kSlice);
    if (frame.ok() || frame.status().code() != StatusCode::kUnavailable) return frame;
    if (connection_->is_closed()) return frame;
  }
  return frame;
}

Status TunerClient::greet(const std::function<bool()>& should_stop) {
  const tuner::Hello hello{std::string(kVersion), getpid(), own_program(), maker_.target(),
                           options_.trusts_model};
  TRIODE_TRY(connection_->send(to_frame(hello)));
  const tuner::Frame first = TRIODE_TRY(await(should_stop));
  if (const auto refusal = tuner::from_frame<tuner::Refusal>(first); refusal.ok()) {
    return unsupported("the tuner refuses: " + refusal->reason);
  }
  TRIODE_TRY(tuner::from_frame<tuner::Welcome>(first));
  for (bool has_more = true; has_more;) {
    const tuner::Frame next = TRIODE_TRY(await(should_stop));
    const auto plans = TRIODE_TRY(tuner::from_frame<tuner::Plans>(next));
    for (const tuner::SentPlan& sent : plans.plans) {
      const StoredPlan plan = TRIODE_TRY(sent.to_stored());
      known_.insert_or_assign({sent.problem, sent.vendor}, plan);
    }
    has_more = plans.has_more;
  }
  reported_.clear();
  told_.clear();
  next_figures_ = options_.clock.now() + kBetweenFigures;
  return {};
}

void TunerClient::lose(const Status& why) {
  // One that was there, and ends or is restarted, is not worth a warning.
  if (!has_connected_ || has_given_up_) {
    warn_once("no tuner: " + why.message() + "; calls go on as they are.");
  }
  pause();
}

void TunerClient::pause() {
  connection_.reset();
  between_tries_ = std::clamp<nanoseconds>(2 * between_tries_, kFirstPause, kLongestPause);
  next_try_ = options_.clock.now() + between_tries_;
}

Status TunerClient::receive_all() {
  for (;;) {
    const std::optional<tuner::Frame> frame = TRIODE_TRY(connection_->receive());
    if (!frame) return {};
    take(TRIODE_TRY(tuner::from_frame<tuner::Verdict>(*frame)));
  }
}

void TunerClient::take(const tuner::Verdict& verdict) {
  const auto reported = reported_.find(verdict.id);
  if (reported == reported_.end()) return;
  PlanEntry& entry = *reported->second;
  if (verdict.plan.empty()) return publisher_.leave_to_vendor(entry, verdict.remark);
  const tuner::SentPlan& plan = verdict.plan.front();
  // For this very call and vendor, and code that comes out the same here.
  const bool is_of_entry =
      plan.problem == to_string(entry.problem) && plan.vendor == vendor_name(entry.key);
  const Status published = is_of_entry ? publish(entry, plan, verdict.remark)
                                       : corrupt("the tuner sent a plan for another call");
  if (!published.ok()) publisher_.leave_to_vendor(entry, published.message());
}

Status TunerClient::publish(PlanEntry& entry, const tuner::SentPlan& plan,
                            const std::string& remark) {
  const MadePlan made{plan.config, plan.code_digest, plan.code};
  if (plan.is_timed()) return publisher_.publish(entry, made, plan.speedup, remark);
  if (!options_.trusts_model) return corrupt("the tuner sent a plan that was not timed");
  return publisher_.publish_untimed(entry, made, remark);
}

tuner::VendorCall TunerClient::describe(const PlanEntry& entry) const {
  const Vendor& its_vendor = vendor(call_traits::vendor(entry.key.traits));
  tuner::VendorCall call;
  call.key = entry.key;
  call.key.traits &= (uint64_t{1} << call_traits::kVendor) - 1;
  call.symbol = traits_of(call_traits::symbol(entry.key.traits)).name;
  call.library = its_vendor.path;
  call.identity = its_vendor.identity;
  call.gpu_driver = maker_.gpu_driver();
  call.gpu_device = maker_.gpu_device();
  if (entry.gpu_place != 0) {
    // The number of the place is this process's own.
    call.key.traits = call_traits::with_threads(call.key.traits, 0);
    call.threads = 1;
    return call;
  }
  // As they were when the call was made: the program may have closed the library since. A plan may
  // have fewer.
  call.threads = call_traits::threads(entry.key.traits);
  call.key.traits = call_traits::with_threads(call.key.traits, entry.problem.threads);
  return call;
}

bool TunerClient::publish_known(PlanEntry& entry) {
  const auto known = known_.find({to_string(entry.problem), vendor_name(entry.key)});
  if (known == known_.end()) return false;
  const StoredPlan& plan = known->second;
  return publisher_
      .publish(entry, {plan.config, plan.code_digest, {}}, plan.speedup,
               "known from an earlier run")
      .ok();
}

Status TunerClient::report_worthwhile() {
  const bool with_figures = options_.clock.now() >= next_figures_;
  if (with_figures) next_figures_ = options_.clock.now() + kBetweenFigures;
  tuner::Reports message;
  publisher_.for_each_worthwhile([&](PlanEntry& entry, const EntryTally& calls) {
    const int64_t id = entry.index;
    if (message.reports.size() >= kMostReports) return;
    if (reported_.contains(id) && !with_figures) return;
    if (!reported_.contains(id) && publish_known(entry)) return;
    reported_[id] = &entry;
    message.reports.push_back({id, describe(entry), figures_of(calls)});
  });
  if (!message.reports.empty()) TRIODE_TRY(connection_->send(to_frame(message)));
  return with_figures ? report_settled() : Status();
}

// One message of those whose figures have changed, beginning where the last one ended.
Status TunerClient::report_settled() {
  tuner::Reports message;
  size_t place = 0;
  size_t next = 0;  // all were told of
  publisher_.for_each_settled([&](PlanEntry& entry, const EntryTally& calls) {
    if (place++ < next_settled_ || next != 0) return;
    const tuner::CallFigures use = figures_of(calls);
    // By the calls: what they took is known better all the time, as the clock's rate is.
    const uint64_t all = use.vendor_calls + use.plan_calls;
    if (std::exchange(told_[entry.index], all) == all) return;
    message.reports.push_back({entry.index, describe(entry), use, false});
    if (message.reports.size() == kMostReports) next = place;
  });
  next_settled_ = next;
  return message.reports.empty() ? Status() : connection_->send(to_frame(message));
}

void TunerClient::withdraw_slower() {
  for (const PlanPublisher::Withdrawn& withdrawn : publisher_.withdraw_slower()) {
    untold_.push_back(withdrawn);
  }
}

// What could not be sent is told to the next tuner, which has these plans from the same file.
Status TunerClient::report_withdrawn() {
  while (!untold_.empty()) {
    const PlanPublisher::Withdrawn& withdrawn = untold_.front();
    PlanEntry& entry = *withdrawn.entry;
    const int64_t id = entry.index;
    known_.erase({to_string(entry.problem), vendor_name(entry.key)});
    reported_[id] = &entry;
    TRIODE_TRY(connection_->send(to_frame(tuner::Withdrawal{
        id, describe(entry), withdrawn.code_digest, withdrawn.plan_ns, withdrawn.vendor_ns})));
    untold_.pop_front();
  }
  return {};
}

}  // namespace triode::host
