// SPDX-License-Identifier: Apache-2.0
#include "learner/model/slow_learner.h"

#include <algorithm>
#include <utility>

#include "learner/model/device_traits.h"

namespace triode {

Result<SlowLearner> SlowLearner::make(std::shared_ptr<const CostModel> model,
                                      const SlowLearnerOptions& options, Log log) {
  TRIODE_TRY(ReplayTrainer::make(model, options.recipe));  // says what is wrong with them
  if (options.steps == 0 || options.buffer.held_back_one_in < 2) {
    return invalid_argument("slow learning needs steps, and shapes to learn from and to judge by");
  }
  return SlowLearner(std::move(model), options, std::move(log));
}

SlowLearner::SlowLearner(std::shared_ptr<const CostModel> model, const SlowLearnerOptions& options,
                         Log log)
    : first_(std::move(model)), options_(options), log_(std::move(log)), buffer_(options.buffer) {}

Result<LearnReport> SlowLearner::add(HeldBackProblem timed) {
  std::vector<HeldBackProblem> rehearsals;
  for (const std::string& name : first_->snapshot().support.devices) {
    if (!timed.space || !timed.device || name == timed.device->name || !is_rehearsed(name))
      continue;
    const std::optional<DeviceTraits> device = find_gpu(name);
    if (!device || device->kind != timed.device->kind) continue;
    Result<HeldBackProblem> rehearsal =
        rehearsed(*first_, timed, std::make_shared<const DeviceTraits>(*device));
    if (rehearsal.ok()) rehearsals.push_back(std::move(rehearsal).take());
  }
  const std::shared_ptr<const DeviceTraits> device = timed.device;
  LearnReport report = TRIODE_TRY(buffer_.add(std::move(timed)));
  if (report.used == 0) return report;
  timed_devices_.insert(device->name);
  ++fresh_;
  for (HeldBackProblem& rehearsal : rehearsals) TRIODE_TRY(buffer_.add(std::move(rehearsal)));
  return report;
}

bool SlowLearner::has_work() const {
  return round_ || (fresh_ >= options_.problems_between && !buffer_.replayed().empty());
}

Result<SlowSlice> SlowLearner::run(OnlineLearner& learner, const Clock& clock,
                                   std::chrono::nanoseconds slice) {
  const std::chrono::nanoseconds end = clock.now() + slice;
  SlowSlice out;
  while (has_work() && !out.verdict) {
    if (!round_) {
      TRIODE_TRY(begin_round(learner));
    } else if (round_->trainer.steps() < options_.steps) {
      TRIODE_TRY(round_->trainer.step(buffer_.replayed()));
      ++out.steps;
    } else if (!round_->candidate) {
      TRIODE_TRY(begin_judging());
    } else if (round_->judged < round_->slice.size()) {
      judge_one();
    } else {
      out.verdict = TRIODE_TRY(settle(learner));
    }
    if (clock.now() >= end) break;
  }
  return out;
}

Status SlowLearner::begin_round(const OnlineLearner& learner) {
  fresh_ = 0;
  auto current = std::make_shared<const CostModel>(TRIODE_TRY(CostModel::make(learner.snapshot())));
  ReplayTrainer trainer = TRIODE_TRY(ReplayTrainer::make(current, options_.recipe));
  round_ = std::make_unique<Round>(Round{std::move(current), std::move(trainer)});
  return {};
}

Status SlowLearner::begin_judging() {
  Result<Snapshot> candidate = round_->trainer.candidate();
  if (!candidate.ok()) {
    round_.reset();  // the model in use is as it was; the next round begins with it
    return candidate.status();
  }
  round_->candidate =
      std::make_shared<const CostModel>(TRIODE_TRY(CostModel::make(std::move(candidate).take())));
  round_->slice.assign(buffer_.held_back().begin(), buffer_.held_back().end());
  round_->judgement.emplace(*round_->current, *round_->candidate);
  round_->of_rehearsed.emplace(*first_, *round_->candidate);
  return {};
}

void SlowLearner::judge_one() {
  const HeldBackProblem& held = round_->slice[round_->judged++];
  round_->judgement->add(held);
  if (is_rehearsed(held.device->name)) round_->of_rehearsed->add(held);
}

Result<GateVerdict> SlowLearner::settle(OnlineLearner& learner) {
  const std::unique_ptr<Round> round = std::move(round_);
  GateVerdict verdict = round->judgement->verdict(options_.gate);
  const GateVerdict kept = round->of_rehearsed->verdict(options_.gate);
  if (verdict.passed && !kept.passed && !kept.devices.empty()) {
    verdict.passed = false;
    verdict.reason = "forgets what the model knew at first: " + kept.reason;
  }
  if (verdict.passed) {
    TRIODE_TRY(learner.adopt(round->candidate));
    previous_ = round->current;
  }
  if (log_) log_(to_string(verdict, *round->current, *round->candidate));
  return verdict;
}

bool SlowLearner::roll_back(OnlineLearner& learner, const std::string& reason) {
  if (!previous_) return false;
  const std::string from = learner.model().digest().substr(0, 12);
  const std::shared_ptr<const CostModel> back = std::exchange(previous_, nullptr);
  if (!learner.adopt(back).ok()) return false;  // it went on with a model of other origin
  round_.reset();                               // of what was rolled back
  if (log_) {
    log_("model rolled back: " + from + " gives way to " + back->digest().substr(0, 12) + ", " +
         reason);
  }
  return true;
}

}  // namespace triode
