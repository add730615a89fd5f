// SPDX-License-Identifier: Apache-2.0
#include "learner/train/choice_judge.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace triode::train {
namespace {

// As PolicyOptions::most_failure: a config likelier to fail than to run is no choice.
constexpr double kMostFailure = 0.5;

// Regret where the vendor's kernel can always be taken instead.
double with_vendor(const TimedProblem& timed, double regret) {
  const double best = timed.seconds[fastest(timed.seconds)];
  const double vendor = *timed.vendor_s;
  return std::min(regret * best, vendor) / std::min(best, vendor);
}

}  // namespace

Ranker rank_by(const CostModel& model) {
  return [&model](const TimedProblem& timed) -> Result<std::vector<size_t>> {
    const Ranking ranking = TRIODE_TRY(model.rank(timed.task(), timed.configs));
    std::vector<size_t> order;
    std::vector<size_t> doubtful;
    for (const Candidate& candidate : ranking.candidates) {
      (candidate.failure_probability > kMostFailure ? doubtful : order).push_back(candidate.index);
    }
    order.insert(order.end(), doubtful.begin(), doubtful.end());
    return order;
  };
}

Status judge_choices(std::span<const TimedProblem> problems, std::span<const size_t> chosen,
                     const Ranker& ranker, std::span<const size_t> ks, size_t fold,
                     std::vector<Judgement>& judgements) {
  for (const size_t problem : chosen) {
    const TimedProblem& timed = problems[problem];
    Judgement judgement{.problem = problem, .fold = fold};
    Result<std::vector<size_t>> ranked = ranker(timed);
    if (!ranked.ok() && ranked.status().code() == StatusCode::kUnsupported) {
      judgement.passed_over = ranked.status().message();
      judgements.push_back(std::move(judgement));
      continue;
    }
    const std::vector<size_t> order = TRIODE_TRY(std::move(ranked));
    for (const size_t k : ks) {
      judgement.regret.push_back(regret_of(timed.seconds, order, k));
      if (timed.vendor_s) {
        judgement.with_vendor.push_back(with_vendor(timed, judgement.regret.back()));
      }
    }
    judgements.push_back(std::move(judgement));
  }
  return {};
}

FoldedSummary summarize(std::span<const Judgement> judgements, size_t position, Against against,
                        const std::function<bool(size_t problem)>& accepts) {
  std::vector<double> all;
  std::map<size_t, std::vector<double>> by_fold;
  for (const Judgement& judgement : judgements) {
    const std::vector<double>& regrets =
        against == Against::kBestConfig ? judgement.regret : judgement.with_vendor;
    if (regrets.empty() || !accepts(judgement.problem)) continue;
    all.push_back(regrets[position]);
    by_fold[judgement.fold].push_back(regrets[position]);
  }
  FoldedSummary summary{.all = summarize_regret(std::move(all))};
  for (auto& [fold, regrets] : by_fold) {
    summary.fold_geomeans.push_back(summarize_regret(std::move(regrets)).geomean);
  }
  const auto count = static_cast<double>(summary.fold_geomeans.size());
  if (count == 0) return summary;
  double sum = 0;
  double squares = 0;
  for (const double value : summary.fold_geomeans) sum += value;
  summary.mean = sum / count;
  for (const double value : summary.fold_geomeans) {
    squares += (value - summary.mean) * (value - summary.mean);
  }
  if (count > 1) summary.deviation = std::sqrt(squares / (count - 1));
  return summary;
}

}  // namespace triode::train
