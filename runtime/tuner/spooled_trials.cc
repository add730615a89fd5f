// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/spooled_trials.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "cache/sample_key.h"
#include "cache/spool_writer.h"

namespace triode::tuner {
namespace {

// Some megabytes. Beyond, the oldest go: a disk that is full for hours.
constexpr size_t kMostWaiting = 8192;

int64_t unix_seconds() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

std::string identity_of(const Target& target, const Problem& problem) {
  return target.fingerprint() + '\n' + to_string(problem);
}

}  // namespace

SpooledTrials::~SpooledTrials() {
  (void)flush();  // nobody is left to hear of it
}

std::vector<Trial> SpooledTrials::known(const Target& target, const Problem& problem,
                                        const Space&) {
  const auto found = known_.find(identity_of(target, problem));
  return found == known_.end() ? std::vector<Trial>() : found->second;
}

Status SpooledTrials::record(const Target& target, const Problem& problem, const Space& space,
                             std::vector<ConfigTrial> trials) {
  std::vector<Trial>& known = known_[identity_of(target, problem)];
  for (ConfigTrial& trial : trials) {
    known.push_back({trial.config, trial.record.outcome, trial.record.measurement});
    trial.record.when_unix_s = unix_seconds();
    waiting_.push_back({sample_key(target, problem, space, trial.config), std::move(trial.record)});
  }
  return flush();
}

Status SpooledTrials::flush() {
  if (waiting_.empty()) return {};
  const Status status = append_to_spool(path_, waiting_);
  if (status.ok()) {
    waiting_.clear();
  } else if (status.code() == StatusCode::kInvalidArgument) {
    // One that will never be taken must not hold up the others.
    std::erase_if(waiting_, [this](const KeyedTrial& trial) {
      const StatusCode code = append_to_spool(path_, {&trial, 1}).code();
      return code == StatusCode::kOk || code == StatusCode::kInvalidArgument;
    });
  }
  if (waiting_.size() > kMostWaiting) {
    waiting_.erase(waiting_.begin(), waiting_.end() - kMostWaiting);
  }
  return status;
}

}  // namespace triode::tuner
