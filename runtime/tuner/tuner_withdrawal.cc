// SPDX-License-Identifier: Apache-2.0
// What the tuner does about a plan that a program takes back, since it is slower there than the
// vendor.
#include <utility>

#include "runtime/tuner/tuner.h"
#include "runtime/tuner/vendor_call.h"

namespace triode::tuner {

// Whether this is the plan that the tuner gives for the call. It is not where the client is late:
// another has withdrawn it before, or another plan has taken its place.
bool Tuner::is_in_force(const TunedCall& call, const Problem& problem, uint64_t code_digest) const {
  std::optional<Settled> given = find_settled(call, problem);
  if (!given) {
    const auto trusted = trusted_.find(identity_of(call));
    if (trusted != trusted_.end()) given = trusted->second;
  }
  return given && given->plan && given->plan->code_digest == code_digest;
}

void Tuner::forget_plan(const TunedCall& call, const Problem& problem,
                        const Withdrawal& withdrawal) {
  const std::string text = to_string(problem);
  parts_.events.write("withdrawn", {{"problem", text},
                                    {"vendor", call.call.vendor()},
                                    {"plan_ns", figure(withdrawal.plan_ns)},
                                    {"vendor_ns", figure(withdrawal.vendor_ns)}});
  note_error(parts_.log.withdraw_plan(call, problem));
  note_error(parts_.book.forget(call.target, text, call.call.vendor(), withdrawal.code_digest));
}

void Tuner::withdraw(ClientId client, const Withdrawal& withdrawal) {
  const ProblemReport again{withdrawal.id, withdrawal.call, {0, withdrawal.vendor_ns, 0, 0}};
  const UnderstoodReport understood = understand(again);
  if (!understood.problem.ok()) return;
  TunedCall call{withdrawal.call, {}};
  bool was_in_force = false;
  {
    const std::lock_guard lock(mutex_);
    const auto known = clients_.find(client);
    if (known == clients_.end()) return;
    call.target = known->second.target;
    was_in_force = is_in_force(call, *understood.problem, withdrawal.code_digest);
  }
  if (was_in_force) forget_plan(call, *understood.problem, withdrawal);
  std::optional<Verdict> verdict;
  {
    const std::lock_guard lock(mutex_);
    if (was_in_force) count_withdrawal(identity_of(call));
    verdict = answer_withdrawal(client, call, understood);
  }
  if (verdict) deliver(client, call, std::move(*verdict));
}

// By plans, not by the clients that had each.
void Tuner::count_withdrawal(const std::string& identity) {
  ++status_.withdrawals;
  metrics_.count("withdrawals");
  const std::string why = "its plans turned out slower in programs";
  trusted_[identity] = {std::nullopt, why};  // its word is worth nothing here any more
  board_.set_vendor(identity, ProblemState::kWithdrawn, why);
  settled_.erase(identity);
  if (++attempts_[identity] >= kMostAttempts) settled_[identity] = {std::nullopt, why};
}

// The plan that is there by now, if there is one; else the client waits for one, unless the vendor
// stays, which answers already.
std::optional<Verdict> Tuner::answer_withdrawal(ClientId id, const TunedCall& call,
                                                const UnderstoodReport& understood) {
  const auto settled = find_settled(call, *understood.problem);
  if (!settled) return queue(id, clients_[id], call, understood);
  if (!settled->plan) return std::nullopt;
  return settled->to_verdict(understood.report.id);
}

}  // namespace triode::tuner
