// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "core/clock.h"
#include "core/status.h"
#include "runtime/host/call_tally.h"
#include "runtime/host/plan_file.h"
#include "runtime/host/plan_maker.h"
#include "runtime/host/plan_publisher.h"
#include "runtime/host/plan_table.h"
#include "runtime/tuner/connection.h"
#include "runtime/tuner/frame.h"
#include "runtime/tuner/messages.h"

namespace triode::host {

// A program's side of the talk with its tuner, one step at a time: reports calls that are worth it,
// publishes the plans that come back, and takes back those that do not hold what they promised.
// Nothing is timed or searched here, and no vendor's function is called.
//
// Without a tuner the vendor answers, and one warning says why. A tuner that goes away is looked
// for again, less and less often. Used by one thread.
class TunerClient {
 public:
  struct Options {
    const Clock& clock;
    // A connected socket to the tuner. An error of kUnavailable may pass; others are final.
    std::function<Result<FileDescriptor>(const std::function<bool()>& should_stop)> reach;
    bool trusts_model = false;  // see Settings::trust_model
  };

  TunerClient(const PlanPublisher::Parts& parts, Options options)
      : options_(std::move(options)), maker_(parts.maker), publisher_(parts) {}

  // Never waits for the tuner, but while it connects: some milliseconds, or until one has started.
  void step(const std::function<bool()>& should_stop);

  // Whether it has found a tuner, or has said why there is none.
  bool has_nothing_to_say() const { return has_connected_ || has_given_up_; }

 private:
  void connect(const std::function<bool()>& should_stop);
  Status greet(const std::function<bool()>& should_stop);
  Result<tuner::Frame> await(const std::function<bool()>& should_stop);
  void lose(const Status& why);  // pause(), with a warning where one is due
  void pause();                  // until the next try to connect
  Status receive_all();
  void take(const tuner::Verdict& verdict);
  Status publish(PlanEntry& entry, const tuner::SentPlan& plan, const std::string& remark);
  Status report_worthwhile();
  Status report_settled();
  bool publish_known(PlanEntry& entry);
  tuner::VendorCall describe(const PlanEntry& entry) const;
  void withdraw_slower();
  Status report_withdrawn();

  const Options options_;
  const PlanMaker& maker_;
  PlanPublisher publisher_;
  std::unique_ptr<tuner::Connection> connection_;
  bool has_connected_ = false;  // ever
  bool has_given_up_ = false;
  bool has_lost_greeting_ = false;  // to a tuner that ended in the middle of one
  std::chrono::nanoseconds next_try_{0};
  std::chrono::nanoseconds between_tries_{};
  std::map<std::pair<std::string, std::string>, StoredPlan> known_;  // by problem and vendor
  std::map<int64_t, PlanEntry*> reported_;                           // by id
  std::deque<PlanPublisher::Withdrawn> untold_;  // plans taken back that no tuner has heard of
  std::chrono::nanoseconds next_figures_{0};
  size_t next_settled_ = 0;           // place of the entry that is told of next
  std::map<int64_t, uint64_t> told_;  // calls of settled entries, by id
};

}  // namespace triode::host
