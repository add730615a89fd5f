// SPDX-License-Identifier: Apache-2.0
// What a tuner does for programs that trust the model: its choices, ahead of any timing.
#include <utility>

#include "runtime/tuner/tuner.h"
#include "runtime/tuner/vendor_call.h"

namespace triode::tuner {
namespace {

// Beyond, they are forgotten, and chosen again where they are asked for.
constexpr size_t kMostTrusted = 1 << 17;

}  // namespace

// True if there was a call to choose for. What comes of it is timed like any other, later.
bool Tuner::trust_next() {
  TunedCall call;
  {
    const std::lock_guard lock(mutex_);
    if (to_trust_.empty()) return false;
    call = to_trust_.extract(to_trust_.begin()).mapped();
  }
  const Result<TrustedChoice> choice = choose(call);
  for (const auto& [client, verdict] : settle_trust(call, choice)) {
    deliver(client, call, verdict);
  }
  return true;
}

Result<TrustedChoice> Tuner::choose(const TunedCall& call) {
  const Problem problem = TRIODE_TRY(problem_of(call.call));
  const Space space = TRIODE_TRY(parts_.space_of(call.target, problem));
  const Target recorded = TRIODE_TRY(recorded_as(call.target, problem));
  const std::vector<Trial> known = parts_.log.known(recorded, problem, space);
  const auto record = [&](const Trial& trial) {
    note_error(parts_.log.record(recorded, problem, space,
                                 {{trial.config, {trial.outcome, trial.measurement}}}));
  };
  Result<TrustedChoice> choice =
      choose_and_check(call, problem, space, known, parts_.ranker, parts_.runner, record);
  const bool is_chosen = choice.ok() && choice->plan;
  metrics_.count("trusted", is_chosen ? "by=model" : "by=vendor");
  parts_.events.write("trusted",
                      {{"problem", to_string(problem)},
                       {"vendor", call.call.vendor()},
                       {"config", is_chosen ? choice->plan->config : ""},
                       {"remark", choice.ok() ? choice->remark : choice.status().message()}});
  return choice;
}

std::vector<Tuner::Delivery> Tuner::settle_trust(const TunedCall& call,
                                                 const Result<TrustedChoice>& choice) {
  std::vector<Delivery> deliveries;
  const std::string identity = identity_of(call);
  const std::lock_guard lock(mutex_);
  if (trusted_.size() >= kMostTrusted) trusted_.clear();
  Settled& settled = trusted_[identity];
  settled.remark = "the model's choice, not timed yet";
  if (choice.ok()) settled.plan = choice->plan;
  const auto waiting = scheduler_.calls().find(identity);
  if (!settled.plan || waiting == scheduler_.calls().end()) return deliveries;
  show_waiting(identity);
  for (const auto& [client, use] : waiting->second.clients) {
    if (!clients_[client].trusts_model) continue;
    deliveries.emplace_back(client, settled.to_verdict(use.report_id));
  }
  return deliveries;
}

}  // namespace triode::tuner
