// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/tuner/messages.h"
#include "runtime/tuner/trial_runner.h"

namespace triode::tuner {

using ClientId = int64_t;

// A call that somebody waits for, by its identity (see identity_of()).
struct WaitingCall {
  TunedCall call;
  double expected_saving = 0;  // share of the vendor's time
  struct Use {
    int64_t report_id = 0;
    double total_ns = 0;  // that it has taken in this client so far
  };
  std::map<ClientId, Use> clients;
  std::chrono::nanoseconds not_before{0};  // it rests until then
};

// What tells calls apart that need plans of their own: target, problem, vendor and its file.
std::string identity_of(const TunedCall& call);

// Which call to tune next: the client on whose behalf least time was spent comes first, and among
// its calls the one with the greatest expected saving. A client that came later begins where the
// others are, so that it neither waits for them nor shuts them out. Not thread-safe.
class Scheduler {
 public:
  // Adds the call, or the client to those that wait for it, or new figures.
  void report(ClientId client, const TunedCall& call, double expected_saving,
              const ProblemReport& report);

  // New figures of a client that waits for the call; of others nothing is noted.
  void update_use(ClientId client, const std::string& identity, double total_ns);

  // Takes a call out of the queue. Empty if nobody waits, but for calls that rest.
  std::optional<WaitingCall> take_next(std::chrono::nanoseconds now);

  // Puts one back that was taken, for the clients it has.
  void put_back(const WaitingCall& call);

  // Time that a call took, shared by the clients that wait for it.
  void charge(const WaitingCall& call, std::chrono::nanoseconds spent);

  // Calls that only this client waits for go with it.
  void forget(ClientId client);

  bool is_waited_for(const std::string& identity, ClientId by) const;
  size_t waiting() const { return calls_.size(); }
  const std::map<std::string, WaitingCall>& calls() const { return calls_; }

 private:
  double least_spent() const;

  std::map<std::string, WaitingCall> calls_;
  std::map<ClientId, double> spent_ns_;
};

}  // namespace triode::tuner
