// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/scheduler.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/key.h"

namespace triode::tuner {
namespace {

double total_saving(const WaitingCall& call) {
  double total_ns = 0;
  for (const auto& [client, use] : call.clients) total_ns += use.total_ns;
  return total_ns * call.expected_saving;
}

}  // namespace

std::string identity_of(const TunedCall& call) {
  VendorCall copy = call.call;
  ByteWriter writer;
  writer(copy);
  return target_key(call.target) + std::move(writer).take();
}

double Scheduler::least_spent() const {
  double least = std::numeric_limits<double>::max();
  for (const auto& [client, spent] : spent_ns_) least = std::min(least, spent);
  return spent_ns_.empty() ? 0 : least;
}

void Scheduler::report(ClientId client, const TunedCall& call, double expected_saving,
                       const ProblemReport& report) {
  spent_ns_.try_emplace(client, least_spent());
  WaitingCall& waiting =
      calls_.try_emplace(identity_of(call), WaitingCall{call, 0, {}}).first->second;
  waiting.expected_saving = expected_saving;
  waiting.clients[client] = {report.id, report.total_ns};
}

std::optional<WaitingCall> Scheduler::take_next() {
  ClientId next = 0;
  double least = std::numeric_limits<double>::max();
  for (const auto& [identity, call] : calls_) {
    for (const auto& [client, use] : call.clients) {
      const double spent = spent_ns_[client];
      if (spent < least || (spent == least && client < next)) next = client, least = spent;
    }
  }
  auto best = calls_.end();
  for (auto call = calls_.begin(); call != calls_.end(); ++call) {
    if (!call->second.clients.contains(next)) continue;
    if (best == calls_.end() || total_saving(call->second) > total_saving(best->second)) {
      best = call;
    }
  }
  if (best == calls_.end()) return std::nullopt;
  return std::move(calls_.extract(best).mapped());
}

void Scheduler::put_back(const WaitingCall& call) {
  if (!call.clients.empty()) calls_.insert_or_assign(identity_of(call.call), call);
}

void Scheduler::charge(const WaitingCall& call, std::chrono::nanoseconds spent) {
  for (const auto& [client, use] : call.clients) {
    const auto known = spent_ns_.find(client);
    if (known == spent_ns_.end()) continue;
    known->second += static_cast<double>(spent.count()) / static_cast<double>(call.clients.size());
  }
}

void Scheduler::forget(ClientId client) {
  spent_ns_.erase(client);
  for (auto call = calls_.begin(); call != calls_.end();) {
    call->second.clients.erase(client);
    call = call->second.clients.empty() ? calls_.erase(call) : std::next(call);
  }
}

}  // namespace triode::tuner
