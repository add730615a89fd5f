// SPDX-License-Identifier: Apache-2.0
#include "learner/model/shadow_gate.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <utility>

namespace triode {
namespace {

// Empty if the model cannot rank the problem, or nothing of it ran.
std::optional<double> log_regret(const CostModel& model, const HeldBackProblem& held) {
  std::vector<Config> ran;
  std::vector<double> seconds;
  for (size_t i = 0; i < held.configs.size(); ++i) {
    if (!std::isfinite(held.seconds[i])) continue;
    ran.push_back(held.configs[i]);
    seconds.push_back(held.seconds[i]);
  }
  const Result<Ranking> ranking =
      model.rank({held.problem, *held.space, *held.device, held.family}, ran);
  if (!ranking.ok() || ranking->candidates.empty()) return std::nullopt;
  const double best = *std::min_element(seconds.begin(), seconds.end());
  return std::log(seconds[ranking->candidates.front().index] / best);
}

std::string as_text(double regret) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4f", regret);
  return text;
}

}  // namespace

std::vector<double> log_regrets(const CostModel& model, std::span<const HeldBackProblem> problems) {
  std::vector<double> regrets;
  for (const HeldBackProblem& held : problems) {
    if (const auto regret = log_regret(model, held)) regrets.push_back(*regret);
  }
  return regrets;
}

void ShadowJudgement::add(const HeldBackProblem& held) {
  const std::optional<double> before = log_regret(current_, held);
  if (!before) return;
  Sums& sum = by_device_[held.device->name];
  ++sum.problems;
  sum.current += *before;
  // A model that no longer ranks what the current one does has lost it: as bad as can be.
  sum.candidate += log_regret(candidate_, held).value_or(HUGE_VAL);
}

GateVerdict ShadowJudgement::verdict(const GateOptions& options) const {
  GateVerdict verdict;
  std::string losses;
  for (const auto& [device, sum] : by_device_) {
    if (sum.problems < options.least_problems) continue;
    const auto count = static_cast<double>(sum.problems);
    DeviceRegret regret{device, sum.problems, std::exp(sum.current / count),
                        std::exp(sum.candidate / count)};
    const std::string line =
        device + " from " + as_text(regret.current) + " to " + as_text(regret.candidate);
    verdict.reason += (verdict.reason.empty() ? "regret on " : ", ") + line;
    if (!(regret.candidate <= regret.current + options.most_loss)) {
      losses += (losses.empty() ? "regret on " : ", ") + line;
    }
    verdict.devices.push_back(std::move(regret));
  }
  verdict.passed = losses.empty() && !verdict.devices.empty();
  if (!losses.empty()) verdict.reason = "loses: " + losses;
  if (verdict.devices.empty()) verdict.reason = "too few held-back problems to judge by";
  return verdict;
}

GateVerdict judge(const CostModel& current, const CostModel& candidate,
                  std::span<const HeldBackProblem> slice, const GateOptions& options) {
  ShadowJudgement judgement(current, candidate);
  for (const HeldBackProblem& held : slice) judgement.add(held);
  return judgement.verdict(options);
}

std::string to_string(const GateVerdict& verdict, const CostModel& current,
                      const CostModel& candidate) {
  return (verdict.passed ? "model swapped in: " : "model rolled back: ") +
         candidate.digest().substr(0, 12) + " for " + current.digest().substr(0, 12) + ", " +
         verdict.reason;
}

ModelSlot::ModelSlot(std::shared_ptr<const CostModel> model, Log log)
    : model_(std::move(model)), log_(std::move(log)) {}

std::shared_ptr<const CostModel> ModelSlot::current() const {
  const std::lock_guard lock(mutex_);
  return model_;
}

GateVerdict ModelSlot::offer(std::shared_ptr<const CostModel> candidate,
                             std::span<const HeldBackProblem> slice, const GateOptions& options) {
  const std::shared_ptr<const CostModel> judged_against = current();
  GateVerdict verdict = judge(*judged_against, *candidate, slice, options);
  {
    const std::lock_guard lock(mutex_);
    if (verdict.passed && model_ != judged_against) {
      verdict.passed = false;
      verdict.reason = "another model was swapped in meanwhile";
    }
    if (verdict.passed) {
      previous_ = std::exchange(model_, candidate);
    }
  }
  if (log_) log_(to_string(verdict, *judged_against, *candidate));
  return verdict;
}

bool ModelSlot::roll_back(const std::string& reason) {
  std::string names;
  {
    const std::lock_guard lock(mutex_);
    if (!previous_) return false;
    names = model_->digest().substr(0, 12) + " gives way to " + previous_->digest().substr(0, 12);
    model_ = std::exchange(previous_, nullptr);
  }
  if (log_) log_("model rolled back: " + names + ", " + reason);
  return true;
}

}  // namespace triode
