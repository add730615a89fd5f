// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace triode::tuner {

struct PaceOptions {
  // Of one core, taken however busy the machine is, so that it still learns.
  double least_share = 0.05;
  // Cores that must be free for a search to run without rests.
  double free_cores = 1;
};

// How long to rest after so much work, when so many cores were free meanwhile, our own among them:
// none if there are enough, else so that the share of one core falls to what is free, and to
// `least_share` at least.
std::chrono::nanoseconds rest_after(std::chrono::nanoseconds worked, double free_cores,
                                    const PaceOptions& options);

// Cores that others left free between two looks at /proc/stat.
class MachineLoad {
 public:
  explicit MachineLoad(std::string path = "/proc/stat") : path_(std::move(path)) {}

  // Since the last call; `own_cores` is what the tuner itself used on average. Where the file
  // cannot be read, 0: as if all were busy.
  double free_cores(double own_cores);

 private:
  const std::string path_;
  int64_t last_idle_ = 0, last_total_ = 0;
};

}  // namespace triode::tuner
