// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/recorded_source.h"

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "learner/model/device_traits.h"
#include "runtime/device/listed_source.h"

namespace triode {
namespace {

ReplayedTrial replayed(const Outcome& outcome, const RecordedTime& time) {
  constexpr double kNsPerS = 1e9;
  return {outcome, time.median_s * kNsPerS, time.min_s * kNsPerS, time.max_s * kNsPerS};
}

Target target_of(const std::string& device, KernelFamily family) {
  Target target;
  target.device = device;
  target.isa = "sm_unknown";
  target.toolchain = "recorded " + std::string(to_string(family));
  if (const auto traits = find_gpu(device)) {
    target.isa = traits->gpu.has_warpgroup_mma ? "sm_90" : "sm_80";
    target.cores = static_cast<int32_t>(traits->gpu.multiprocessors);
    target.l2_bytes = static_cast<int64_t>(traits->gpu.l2_bytes);
  }
  return target;
}

}  // namespace

Result<std::shared_ptr<const ReplaySource>> make_recorded_source(RecordedTimings timings,
                                                                 std::string_view device) {
  const auto space = std::make_shared<const Space>(std::move(timings.space));
  std::set<std::string> devices;
  std::vector<ListedProblem> problems;
  for (const RecordedProblem& recorded : timings.problems) {
    devices.insert(recorded.device);
    if (recorded.device != device) continue;
    ListedProblem listed{recorded.problem, space};
    if (recorded.has_vendor) listed.vendor = replayed({}, recorded.vendor);
    for (const RecordedTrial& trial : recorded.trials) {
      listed.trials.emplace(trial.config, replayed(trial.outcome, trial.time));
    }
    problems.push_back(std::move(listed));
  }
  if (!problems.empty()) {
    return make_listed_source(target_of(std::string(device), timings.family), std::move(problems));
  }
  std::string names;
  for (const std::string& name : devices) names += (names.empty() ? "" : ", ") + name;
  return not_found("nothing was recorded on \"" + std::string(device) + "\"; there is " + names);
}

}  // namespace triode
