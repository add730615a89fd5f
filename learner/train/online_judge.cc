// SPDX-License-Identifier: Apache-2.0
#include "learner/train/online_judge.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "core/clock.h"
#include "core/random.h"
#include "learner/model/online_learner.h"
#include "learner/train/regret.h"

namespace triode::train {
namespace {

// A round of slow learning is as long as its steps, on every machine.
class StandingClock final : public Clock {
 public:
  std::chrono::nanoseconds now() const override { return {}; }
};

class Stream {
 public:
  static Result<Stream> make(std::shared_ptr<const CostModel> model, const StreamOptions& options) {
    std::optional<SlowLearner> slow;
    if (options.learns && options.slow) {
      slow.emplace(TRIODE_TRY(SlowLearner::make(model, *options.slow, {})));
    }
    return Stream(std::move(model), std::move(slow), options);
  }

  Result<StreamedChoice> meet(const TimedProblem& timed, size_t problem) {
    const double best = timed.seconds[fastest(timed.seconds)];
    StreamedChoice choice{.problem = problem};
    std::vector<Tried> tried;
    ProblemMemory memory;  // so that a later round is compared with the earlier ones
    double reached = std::numeric_limits<double>::infinity();
    while (tried.size() < options_.timings) {
      const Ranking ranking = TRIODE_TRY(learner_.rank(timed.task(), timed.configs));
      if (tried.empty()) choice.first = first_of(timed, ranking) / best;
      const std::vector<uint32_t> picks = next(timed, ranking, tried);
      if (picks.empty()) break;
      for (const uint32_t place : picks) {
        const double seconds = timed.seconds[place];
        tried.push_back(
            {place, std::isnan(seconds) ? std::nullopt : std::optional<double>(std::log(seconds))});
        if (seconds < reached) reached = seconds;
        choice.reached.push_back(reached / best);
      }
      if (options_.learns) TRIODE_TRY(teach(timed, picks, memory));
    }
    if (slow_) TRIODE_TRY(teach_slowly(timed, tried));
    return choice;
  }

 private:
  Stream(std::shared_ptr<const CostModel> model, std::optional<SlowLearner> slow,
         const StreamOptions& options)
      : learner_(std::move(model)),
        slow_(std::move(slow)),
        options_(options),
        random_(options.seed) {}

  static double first_of(const TimedProblem& timed, const Ranking& ranking) {
    if (ranking.candidates.empty()) return std::numeric_limits<double>::infinity();
    const double seconds = timed.seconds[ranking.candidates.front().index];
    return std::isnan(seconds) ? std::numeric_limits<double>::infinity() : seconds;
  }

  // Positions in the configs of what is to be timed next; empty if nothing is left.
  std::vector<uint32_t> next(const TimedProblem& timed, const Ranking& ranking,
                             const std::vector<Tried>& tried) {
    PolicyOptions policy = options_.policy;
    policy.batch = std::min(policy.batch, options_.timings - tried.size());
    const Proposal proposal =
        propose(ranking, learner_.state(timed.device->name), tried, policy, random_);
    std::vector<uint32_t> places;
    for (const uint32_t pick : proposal.picks) places.push_back(ranking.candidates[pick].index);
    return places;
  }

  Status teach(const TimedProblem& timed, std::span<const uint32_t> places, ProblemMemory& memory) {
    std::vector<TimedConfig> batch;
    for (const uint32_t place : places) {
      if (std::isnan(timed.seconds[place])) continue;
      batch.push_back({timed.configs[place], timed.seconds[place]});
    }
    TRIODE_TRY(learner_.learn(timed.task(), batch, memory));
    return {};
  }

  Status teach_slowly(const TimedProblem& timed, std::span<const Tried> tried) {
    HeldBackProblem all{timed.problem, timed.space, timed.device, timed.family, {}, {}};
    for (const Tried& one : tried) {
      all.configs.push_back(timed.configs[one.index]);
      all.seconds.push_back(timed.seconds[one.index]);
    }
    TRIODE_TRY(slow_->add(std::move(all)));
    while (slow_->has_work()) {
      TRIODE_TRY(slow_->run(learner_, StandingClock{}, std::chrono::hours(1)));
    }
    return {};
  }

  OnlineLearner learner_;
  std::optional<SlowLearner> slow_;
  const StreamOptions& options_;
  Random random_;
};

}  // namespace

Result<std::vector<StreamedChoice>> stream(std::span<const TimedProblem> problems,
                                           std::span<const size_t> chosen,
                                           std::shared_ptr<const CostModel> model,
                                           const StreamOptions& options) {
  std::vector<size_t> order(chosen.begin(), chosen.end());
  Random random(options.seed + 1);
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  Stream stream = TRIODE_TRY(Stream::make(std::move(model), options));
  std::vector<StreamedChoice> choices;
  for (const size_t problem : order) {
    choices.push_back(TRIODE_TRY(stream.meet(problems[problem], problem)));
  }
  return choices;
}

}  // namespace triode::train
