// SPDX-License-Identifier: Apache-2.0
#include "learner/train/timed_problem.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

namespace triode::train {
namespace {

using Devices = std::map<std::string, std::shared_ptr<const DeviceTraits>>;

Result<std::shared_ptr<const DeviceTraits>> device_named(const std::string& name,
                                                         Devices& devices) {
  auto& device = devices[name];
  if (!device) {
    auto traits = find_gpu(name);
    if (!traits) {
      std::string known;
      for (const DeviceTraits& gpu : known_gpus()) known += (known.empty() ? "" : ", ") + gpu.name;
      return unsupported("no traits are known of device '" + name + "'; known are " + known);
    }
    device = std::make_shared<const DeviceTraits>(*std::move(traits));
  }
  return device;
}

}  // namespace

Result<std::vector<TimedProblem>> timed_problems(const RecordedTimings& timings) {
  const auto space = std::make_shared<const Space>(timings.space);
  Devices devices;
  std::vector<TimedProblem> out;
  out.reserve(timings.problems.size());
  for (const RecordedProblem& recorded : timings.problems) {
    TimedProblem timed;
    timed.problem = recorded.problem;
    timed.space = space;
    timed.device = TRIODE_TRY(device_named(recorded.device, devices));
    timed.family = timings.family;
    timed.source = recorded.dataset;
    bool any = false;
    for (const RecordedTrial& trial : recorded.trials) {
      timed.configs.push_back(trial.config);
      timed.seconds.push_back(trial.outcome.ok() ? trial.time.median_s
                                                 : std::numeric_limits<double>::quiet_NaN());
      any = any || trial.outcome.ok();
    }
    if (recorded.has_vendor) timed.vendor_s = recorded.vendor.median_s;
    if (any) out.push_back(std::move(timed));
  }
  return out;
}

Result<std::vector<TimedProblem>> read_timed_problems(std::span<const std::string> paths,
                                                      std::string_view device) {
  std::vector<TimedProblem> all;
  for (const std::string& path : paths) {
    const RecordedTimings timings = TRIODE_TRY(read_recorded_timings(path, device));
    std::vector<TimedProblem> some = TRIODE_TRY(timed_problems(timings));
    std::move(some.begin(), some.end(), std::back_inserter(all));
  }
  return all;
}

size_t fastest(std::span<const double> seconds) {
  size_t best = 0;
  for (size_t i = 1; i < seconds.size(); ++i) {
    // The negation also leaves a NaN behind.
    if (!(seconds[best] <= seconds[i]) && seconds[i] == seconds[i]) best = i;
  }
  return best;
}

}  // namespace triode::train
