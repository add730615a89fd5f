// SPDX-License-Identifier: Apache-2.0
#include "tools/tuner/cpu_ranker.h"

#include <utility>

#include "core/clock.h"
#include "core/unix_time.h"
#include "runtime/model/learned_models.h"
#include "tools/tuner/tuner_model.h"

namespace triode::tuner {

CpuRanker::CpuRanker(CpuMachine& machine, TrialLog& trials, EventLog& events,
                     CpuRankerOptions options)
    : trials_(trials), events_(events) {
  const Status status = begin(machine, options);
  events_.write("model", {{"name", first_.name},
                          {"digest", first_.digest},
                          {"origin", first_.origin},
                          {"relearned", std::to_string(relearned_.trials)},
                          {"remark", status.message()}});
}

Status CpuRanker::begin(CpuMachine& machine, const CpuRankerOptions& given) {
  const TunerModel loaded = TRIODE_TRY(load_tuner_model(given.model, trials_.models()));
  if (loaded.model == nullptr) return {};
  first_ = {loaded.model->snapshot().name, loaded.model->digest(), loaded.origin, 0};
  const Target target = TRIODE_TRY(make_cpu_device(0))->target();
  const auto space_of = [&machine, target](const Problem& problem) {
    return machine.space_of(target, problem);
  };
  LearnedRankerOptions options;
  options.device = TRIODE_TRY(traits_of(target));
  options.space_of = space_of;
  options.slow = given.slow;
  options.log = [this](const std::string& line) {
    events_.write("fine-tuned", {{"remark", line}});
  };
  if (given.model.empty()) {
    options.on_better = [this](const Snapshot& snapshot, const GateVerdict& verdict,
                               const std::string& before) {
      keep_if_better(snapshot, verdict, before);
    };
  }
  learned_ = std::make_unique<LearnedRanker>(loaded.model, heuristic_, std::move(options));
  relearned_ = relearn(target, space_of, trials_, *learned_, steady_clock(), given.relearning_time,
                       loaded.learned_until);
  return {};
}

SentModel CpuRanker::model() const {
  SentModel model = first_;
  if (!learned_) return model;
  model.learned = learned_->learned();
  model.digest = learned_->model()->digest();
  if (model.digest != first_.digest) model.origin = "learned";
  return model;
}

void CpuRanker::keep_if_better(const Snapshot& snapshot, const GateVerdict& verdict,
                               const std::string& before) {
  ModelStore* const store = trials_.models();
  if (store == nullptr || !is_better(verdict, {})) return;
  const auto kept = promote_learned(*store, snapshot, before, verdict, unix_seconds());
  if (kept.ok()) {
    events_.write(
        "promoted",
        {{"digest", snapshot_digest(snapshot)}, {"before", before}, {"gate", verdict.reason}});
  } else {
    events_.write("error", {{"message", "a model was not kept: " + kept.status().message()}});
  }
}

}  // namespace triode::tuner
