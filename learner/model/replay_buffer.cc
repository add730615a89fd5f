// SPDX-License-Identifier: Apache-2.0
#include "learner/model/replay_buffer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "core/key.h"
#include "learner/model/feature_extractor.h"

namespace triode {
namespace {

uint64_t shape_hash(const Problem& problem) {
  std::array<int64_t, 3> sizes = {problem.m, problem.n, problem.k};
  std::sort(sizes.begin(), sizes.end());
  return hash_bytes({reinterpret_cast<const char*>(sizes.data()), sizeof sizes});
}

RankingTask task_of(const HeldBackProblem& timed) {
  return {timed.problem, *timed.space, *timed.device, timed.family};
}

bool same_task(const HeldBackProblem& a, const HeldBackProblem& b) {
  return a.problem == b.problem && a.family == b.family && a.device->name == b.device->name;
}

// Of all configs, with what the device's online state corrects.
Result<std::vector<double>> corrected_scores(const CostModel& model, const HeldBackProblem& timed) {
  std::vector<double> scores = TRIODE_TRY(model.uncorrected_scores(task_of(timed), timed.configs));
  const std::vector<float> basis = TRIODE_TRY(model.basis(task_of(timed), timed.configs));
  const std::vector<double>& mean = model.snapshot().online_of(timed.device->name).mean;
  for (size_t i = 0; i < scores.size(); ++i) {
    const float* row = basis.data() + i * mean.size();
    for (size_t j = 0; j < mean.size(); ++j) scores[i] += mean[j] * row[j];
  }
  return scores;
}

// Position of a problem of the device that has most, drawn.
size_t giving_way(const std::vector<HeldBackProblem>& problems, Random& random) {
  std::map<std::string_view, std::vector<size_t>> by_device;
  for (size_t i = 0; i < problems.size(); ++i) by_device[problems[i].device->name].push_back(i);
  const auto most = std::max_element(
      by_device.begin(), by_device.end(),
      [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  return most->second[random.below(most->second.size())];
}

}  // namespace

ReplayBuffer::ReplayBuffer(const ReplayBufferOptions& options)
    : options_(options), random_(options.seed) {}

Result<LearnReport> ReplayBuffer::add(HeldBackProblem timed) {
  if (!timed.space || !timed.device || timed.configs.size() != timed.seconds.size()) {
    return invalid_argument("a problem to replay needs a space, a device, and a time per config");
  }
  const FeatureExtractor extractor = TRIODE_TRY(FeatureExtractor::make(task_of(timed)));
  LearnReport report;
  size_t usable = 0;
  for (size_t i = 0; i < timed.configs.size(); ++i) {
    const TimingVerdict verdict =
        check_timing(timed.seconds[i], extractor.roof_s(), extractor.launch_s());
    report.counts.add(verdict);
    counts_.add(verdict);
    if (verdict == TimingVerdict::kUsable) {
      timed.configs[usable] = timed.configs[i];
      timed.seconds[usable++] = timed.seconds[i];
    } else {
      report.refused.push_back(timed.space->to_string(timed.configs[i]) + ": " +
                               std::to_string(timed.seconds[i]) + " s is " +
                               std::string(to_string(verdict)));
    }
  }
  timed.configs.resize(usable);
  timed.seconds.resize(usable);
  if (usable < 2) return report;
  report.used = usable;
  keep(std::move(timed));
  return report;
}

void ReplayBuffer::keep(HeldBackProblem timed) {
  const bool judges = shape_hash(timed.problem) % options_.held_back_one_in == 0;
  std::vector<HeldBackProblem>& side = judges ? held_back_ : replayed_;
  const auto known = std::find_if(side.begin(), side.end(), [&](const HeldBackProblem& other) {
    return same_task(other, timed);
  });
  if (known != side.end()) {
    *known = std::move(timed);
  } else if (side.size() < options_.most_problems) {
    side.push_back(std::move(timed));
  } else {
    side[giving_way(side, random_)] = std::move(timed);
  }
}

Result<HeldBackProblem> rehearsed(const CostModel& model, const HeldBackProblem& timed,
                                  std::shared_ptr<const DeviceTraits> device) {
  HeldBackProblem out = timed;
  out.device = std::move(device);
  const FeatureExtractor extractor = TRIODE_TRY(FeatureExtractor::make(task_of(out)));
  std::erase_if(out.configs,
                [&](const Config& config) { return extractor.fit(config) != Fit::kFits; });
  const std::vector<double> scores = TRIODE_TRY(corrected_scores(model, out));
  const double least = out.configs.empty() ? 0 : *std::min_element(scores.begin(), scores.end());
  out.seconds.clear();
  for (const double score : scores) {
    out.seconds.push_back(2 * extractor.roof_s() * std::exp(score - least));
  }
  return out;
}

}  // namespace triode
