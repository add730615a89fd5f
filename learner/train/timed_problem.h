// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cache/exchange/recorded_timings.h"
#include "core/config.h"
#include "core/kernel_family.h"
#include "core/problem.h"
#include "core/space.h"
#include "core/status.h"
#include "learner/model/device_traits.h"
#include "learner/model/ranking_task.h"

namespace triode::train {

// A problem and every config of it that was tried on one device: what a model is trained on and
// judged by. Space and device are shared with the other problems of the same source.
struct TimedProblem {
  Problem problem;
  std::shared_ptr<const Space> space;
  std::shared_ptr<const DeviceTraits> device;
  KernelFamily family = KernelFamily::kTriton;
  std::string source;  // which collection it is from: "a100_mm"
  std::vector<Config> configs;
  std::vector<double> seconds;     // one per config; NaN: it did not run
  std::optional<double> vendor_s;  // of the vendor's kernel, if it was timed

  // Valid while this lives.
  RankingTask task() const { return {problem, *space, *device, family}; }
};

// Those problems of `timings` of which at least one config ran. kUnsupported for a device whose
// traits are unknown; the message lists the known ones.
Result<std::vector<TimedProblem>> timed_problems(const RecordedTimings& timings);

// The problems of several files, in order. `device` serves files without a device column.
Result<std::vector<TimedProblem>> read_timed_problems(std::span<const std::string> paths,
                                                      std::string_view device);

// Position of the fastest config. At least one ran.
size_t fastest(std::span<const double> seconds);

}  // namespace triode::train
