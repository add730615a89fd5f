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
  copy.gpu_device.clear();  // equal targets are alike: what one finds serves the others
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
      calls_.try_emplace(identity_of(call), WaitingCall{call, 0, {}, {}}).first->second;
  waiting.expected_saving = expected_saving;
  waiting.clients[client] = {report.id, report.use.total_ns()};
}

void Scheduler::update_use(ClientId client, const std::string& identity, double total_ns) {
  const auto call = calls_.find(identity);
  if (call == calls_.end()) return;
  const auto use = call->second.clients.find(client);
  if (use != call->second.clients.end()) use->second.total_ns = total_ns;
}

bool Scheduler::is_waited_for(const std::string& identity, ClientId by) const {
  const auto call = calls_.find(identity);
  return call != calls_.end() && call->second.clients.contains(by);
}

std::optional<WaitingCall> Scheduler::take_next(std::chrono::nanoseconds now) {
  ClientId next = 0;
  double least = std::numeric_limits<double>::max();
  for (const auto& [identity, call] : calls_) {
    if (call.not_before > now) continue;
    for (const auto& [client, use] : call.clients) {
      const double spent = spent_ns_[client];
      if (spent < least || (spent == least && client < next)) next = client, least = spent;
    }
  }
  auto best = calls_.end();
  for (auto call = calls_.begin(); call != calls_.end(); ++call) {
    if (call->second.not_before > now || !call->second.clients.contains(next)) continue;
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
