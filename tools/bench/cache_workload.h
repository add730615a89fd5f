// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "cache/keyed_trial.h"

namespace triode::bench {

// Trials as a tuner makes them: a few hundred configs of a problem, then the next problem. Times
// are drawn, with all their digits; the seed and the number decide a trial.
class CacheWorkload {
 public:
  CacheWorkload(std::uint64_t seed, std::int64_t records) : seed_(seed), records_(records) {}

  std::int64_t size() const { return records_; }
  KeyedTrial trial(std::int64_t number) const;
  std::vector<KeyedTrial> batch(std::int64_t begin, std::int64_t end) const;

  // Numbers to look up, any of them equally likely.
  std::vector<std::int64_t> draw(std::int64_t count) const;

 private:
  std::uint64_t seed_;
  std::int64_t records_;
};

}  // namespace triode::bench
