// SPDX-License-Identifier: Apache-2.0
#include "tests/train/generated_timings.h"

#include <memory>
#include <utility>

#include "core/random.h"
#include "learner/model/feature_extractor.h"
#include "learner/train/regret.h"

namespace triode::train {
namespace {

Space small_space() {
  Space space;
  space.add({"block_m", {32, 64, 128}, {}});
  space.add({"block_n", {64, 128}, {}});
  space.add({"block_k", {32, 128}, {}});
  space.add({"group_m", {8}, {}});
  space.add({"num_stages", {4}, {}});
  space.add({"num_warps", {4, 8}, {}});
  return space;
}

}  // namespace

std::vector<TimedProblem> generated_timings(size_t count, uint64_t seed, const std::string& device,
                                            int favoured_warps) {
  const auto space = std::make_shared<const Space>(small_space());
  const auto traits = std::make_shared<const DeviceTraits>(find_gpu(device).value());
  const size_t warps = space->position_of("num_warps").value();
  Random random(seed);
  const auto size = [&] { return static_cast<int64_t>(64 * (1 + random.below(60))); };
  std::vector<TimedProblem> problems;
  for (size_t i = 0; i < count; ++i) {
    TimedProblem timed;
    timed.problem = Problem::mm(DType::kF16, size(), size(), size());
    timed.space = space;
    timed.device = traits;
    timed.source = "generated_mm";
    timed.configs = space->enumerate();
    const FeatureExtractor extractor = std::move(FeatureExtractor::make(timed.task())).take();
    for (const Config& config : timed.configs) {
      const double factor = config[warps] == favoured_warps ? 0.5 : 1;
      const bool fits = extractor.fit(config) == Fit::kFits;
      timed.seconds.push_back(fits ? factor * extractor.analytical_s(config) : kFailed);
    }
    timed.vendor_s = 1.1 * timed.seconds[fastest(timed.seconds)];
    problems.push_back(std::move(timed));
  }
  return problems;
}

}  // namespace triode::train
