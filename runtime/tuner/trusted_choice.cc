// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/trusted_choice.h"

#include <utility>

namespace triode::tuner {

Result<TrustedChoice> choose_and_check(const TunedCall& call, const Problem& problem,
                                       const Space& space, std::span<const Trial> known,
                                       Ranker& ranker, TrialRunner& runner,
                                       const std::function<void(const Trial&)>& on_trial) {
  ranker.face(call.target);
  const std::optional<Config> config = ranker.choose(problem, space, known);
  if (!config) return TrustedChoice{std::nullopt, "the model is not sure of any kernel"};
  TRIODE_TRY(runner.begin(call));
  const std::string text = space.to_string(*config);
  const CheckResult checked = runner.check_config(text);
  if (checked.outcome.kind == OutcomeKind::kUnstable) return unavailable(checked.outcome.reason);
  if (!checked.outcome.ok()) {
    on_trial({*config, checked.outcome, {}});
    return TrustedChoice{std::nullopt, "the model's choice failed: " + checked.outcome.reason};
  }
  StoredPlan plan{.problem = problem,
                  .config = text,
                  .vendor = call.call.vendor(),
                  .code_digest = checked.code_digest};
  return TrustedChoice{std::move(plan), ""};
}

}  // namespace triode::tuner
