// SPDX-License-Identifier: Apache-2.0
#include "tools/report/regret_curves.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace triode::report_tool {
namespace {

constexpr std::array<size_t, 12> kTimings = {1, 2, 3, 5, 8, 16, 32, 64, 128, 256, 512, 1024};

// Best so far over best of all, after each timing that ran.
std::vector<double> regrets_of(const ProblemFact& problem) {
  std::vector<double> best_so_far;
  for (const TrialFact& trial : problem.trials) {
    // Imported trials came in no order.
    if (!trial.ran() || trial.number == 0) continue;
    const double before = best_so_far.empty() ? trial.median_ns : best_so_far.back();
    best_so_far.push_back(std::min(before, trial.median_ns));
  }
  if (best_so_far.empty()) return {};
  const double best = best_so_far.back();
  for (double& time : best_so_far) time /= best;
  return best_so_far;
}

RegretPoint summarize_regrets(size_t timings, std::vector<double> regrets) {
  RegretPoint point{.timings = timings, .problems = regrets.size()};
  double sum = 0;
  for (const double regret : regrets) sum += std::log(regret);
  point.geomean = std::exp(sum / static_cast<double>(regrets.size()));
  const size_t rank = (regrets.size() * 9 + 9) / 10 - 1;
  std::nth_element(regrets.begin(), regrets.begin() + static_cast<ptrdiff_t>(rank), regrets.end());
  point.p90 = regrets[rank];
  return point;
}

}  // namespace

std::vector<RegretPoint> regret_by_timings(std::span<const ProblemFact> problems,
                                           size_t least_timings) {
  std::vector<std::vector<double>> curves;
  for (const ProblemFact& problem : problems) {
    std::vector<double> regrets = regrets_of(problem);
    if (regrets.size() >= least_timings) curves.push_back(std::move(regrets));
  }
  std::vector<RegretPoint> points;
  for (const size_t timings : kTimings) {
    std::vector<double> regrets;
    for (const std::vector<double>& curve : curves) {
      if (curve.size() >= timings) regrets.push_back(curve[timings - 1]);
    }
    if (!regrets.empty()) points.push_back(summarize_regrets(timings, std::move(regrets)));
  }
  return points;
}

std::vector<ChoicePoint> regret_by_problem(std::span<const ProblemFact> problems,
                                           size_t least_timings) {
  std::vector<std::pair<uint64_t, ChoicePoint>> points;
  for (size_t i = 0; i < problems.size(); ++i) {
    const std::vector<double> regrets = regrets_of(problems[i]);
    if (regrets.size() < std::max<size_t>(3, least_timings)) continue;
    const auto first = std::find_if(problems[i].trials.begin(), problems[i].trials.end(),
                                    [](const TrialFact& trial) { return trial.number > 0; });
    points.push_back({first->number, {i, first->when_unix_s, regrets[0], regrets[2]}});
  }
  std::sort(points.begin(), points.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<ChoicePoint> sorted;
  for (const auto& [number, point] : points) sorted.push_back(point);
  return sorted;
}

}  // namespace triode::report_tool
