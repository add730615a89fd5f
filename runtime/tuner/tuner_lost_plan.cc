// SPDX-License-Identifier: Apache-2.0
// What the tuner does about a plan that cannot be sent any more, since its code is gone: it is
// forgotten, and whoever asked waits for another.
#include "runtime/tuner/tuner.h"
#include "runtime/tuner/vendor_call.h"

namespace triode::tuner {
namespace {

// Plans of one call that are lost, one after another, after which the vendor stays for as long as
// the tuner lives: what loses the code of each search would be searched for without end.
constexpr int kMostLosses = 3;

}  // namespace

void Tuner::replace_lost(ClientId client, const TunedCall& call, const LostPlan& lost) {
  const Result<Problem> problem = problem_of(call.call);
  if (!problem.ok()) return;  // it had no plan
  const std::string text = to_string(*problem);
  parts_.events.write("lost", {{"problem", text}, {"reason", lost.why.message()}});
  metrics_.count("lost_plans");
  note_error(parts_.log.withdraw_plan(call, *problem));
  note_error(parts_.book.forget(call.target, text, call.call.vendor(), lost.code_digest));
  const double saving = parts_.ranker.expected_saving(*problem);
  const std::string identity = identity_of(call);
  bool is_hopeless = false;
  {
    const std::lock_guard lock(mutex_);
    is_hopeless = ++losses_[identity] >= kMostLosses;
    if (is_hopeless) {
      const Settled& settled = settled_[identity] = {std::nullopt, lost.why.message()};
      show_settled(identity, settled);
    } else {
      settled_.erase(identity);
      scheduler_.report(client, call, saving, ProblemReport{lost.report_id, call.call, {}});
      show_waiting(identity);
    }
  }
  if (is_hopeless) parts_.deliver(client, Verdict{lost.report_id, {}, lost.why.message()});
}

}  // namespace triode::tuner
