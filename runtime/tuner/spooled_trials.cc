// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/spooled_trials.h"

#include <span>
#include <utility>

#include "cache/sample_key.h"
#include "cache/spool_writer.h"
#include "core/key.h"
#include "core/unix_time.h"

namespace triode::tuner {
namespace {

std::string key_of(const Target& target, const Problem& problem) {
  return target_key(target) + to_string(problem);
}

}  // namespace

SpooledTrials::~SpooledTrials() {
  (void)flush();  // nobody is left to hear of it
}

std::vector<Trial> SpooledTrials::known(const Target& target, const Problem& problem,
                                        const Space&) {
  const auto found = known_.find(key_of(target, problem));
  return found == known_.end() ? std::vector<Trial>() : found->second;
}

Status SpooledTrials::record(const Target& target, const Problem& problem, const Space& space,
                             std::vector<ConfigTrial> trials) {
  std::vector<Trial>& known = known_[key_of(target, problem)];
  for (ConfigTrial& trial : trials) {
    known.push_back({trial.config, trial.record.outcome, trial.record.measurement});
    trial.record.when_unix_s = unix_seconds();
    waiting_.add({sample_key(target, problem, space, trial.config), std::move(trial.record)});
  }
  return waiting_.is_due() ? flush() : Status();
}

Status SpooledTrials::flush() {
  return waiting_.write(
      [this](std::span<const KeyedTrial> trials) { return append_to_spool(path_, trials); });
}

}  // namespace triode::tuner
