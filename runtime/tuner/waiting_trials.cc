// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/waiting_trials.h"

namespace triode::tuner {
namespace {

constexpr size_t kMostWaiting = 8192;
// After a write that failed the next is tried with so many trials more, or at the search's end.
constexpr size_t kTrialsPerAttempt = 16;

}  // namespace

Status WaitingTrials::write(const Append& append) {
  if (trials_.empty()) return {};
  Status status = append(trials_);
  if (status.code() == StatusCode::kInvalidArgument) {
    // One that will never be taken must not hold up the others.
    std::erase_if(trials_, [&append](const KeyedTrial& trial) {
      const StatusCode code = append({&trial, 1}).code();
      return code == StatusCode::kOk || code == StatusCode::kInvalidArgument;
    });
  } else if (status.ok()) {
    trials_.clear();
  }
  if (trials_.size() > kMostWaiting) trials_.erase(trials_.begin(), trials_.end() - kMostWaiting);
  next_attempt_ = trials_.empty() ? 0 : trials_.size() + kTrialsPerAttempt;
  return status;
}

}  // namespace triode::tuner
