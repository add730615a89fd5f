// SPDX-License-Identifier: Apache-2.0
#include "tools/collect/collector.h"

#include <ctime>
#include <memory>
#include <set>

#include "runtime/host/vendor_checked_operands.h"
#include "tools/collect/collected_problems.h"

namespace triode::collect {
namespace {

// Two configs closer than this are as good as each other; a steadier ratio would only cost time.
constexpr double kTargetSpread = 0.01;
// With fewer, one disturbed round moves the median.
constexpr int kLeastRounds = 5;

// Right first, then timed. What goes wrong with a config is its outcome.
TrialRecord try_config(Device& device, const Problem& problem, const Config& config,
                       CheckedOperands& checked, const VendorKernel& vendor,
                       std::chrono::nanoseconds budget) {
  TrialRecord record;
  record.when_unix_s = std::time(nullptr);
  const auto artifact = device.build(problem, config);
  if (!artifact.ok()) {
    record.outcome = {OutcomeKind::kCompileFailed, artifact.status().message()};
    return record;
  }
  checked.reset_c();
  if (const Status ran = device.run(**artifact, checked.operands()); !ran.ok()) {
    record.outcome = {OutcomeKind::kLaunchFailed, ran.message()};
    return record;
  }
  record.outcome = checked.check();
  if (!record.outcome.ok()) return record;
  TimingOptions timing;
  timing.budget = budget;
  timing.target_spread = kTargetSpread;
  timing.min_rounds = kLeastRounds;
  const auto timed = device.time(**artifact, vendor, checked.operands(), timing);
  if (!timed.ok()) {
    record.outcome = {OutcomeKind::kLaunchFailed, timed.status().message()};
    return record;
  }
  record.measurement = timed->candidate;
  record.vendor = VendorTime{timed->vendor.median_ns, timed->speedup, timed->speedup_spread};
  return record;
}

}  // namespace

Result<std::vector<Config>> Collector::missing_configs(const Problem& problem, const Space& space) {
  const FoundTrials found = TRIODE_TRY(store_.find(device_.target(), problem));
  std::set<std::string> known;
  for (const StoredTrial& trial : found.trials) known.insert(trial.config);
  std::vector<Config> configs = collected_configs(problem, space, options_.configs, options_.seed);
  counts_.known += std::erase_if(
      configs, [&](const Config& config) { return known.contains(space.to_string(config)); });
  return configs;
}

Status Collector::collect(const Problem& problem, const VendorKernel& vendor) {
  ++counts_.problems;
  const Space space = TRIODE_TRY(device_.enumerate(problem));
  const std::vector<Config> configs = TRIODE_TRY(missing_configs(problem, space));
  if (configs.empty()) return {};
  const auto checked = TRIODE_TRY(VendorCheckedOperands::make(problem, options_.seed, vendor));
  std::vector<ConfigTrial> trials;
  for (const Config& config : configs) {
    trials.push_back(
        {config, try_config(device_, problem, config, *checked, vendor, options_.trial)});
    ++counts_.measured;
    if (!trials.back().record.outcome.ok()) ++counts_.failed;
  }
  return store_.put_all(device_.target(), problem, space, trials);
}

}  // namespace triode::collect
