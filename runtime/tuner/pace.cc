// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/pace.h"

#include <algorithm>
#include <array>
#include <fstream>

namespace triode::tuner {
namespace {

// The first line: "cpu" and the ticks that all cores together spent in user, nice, system, idle,
// iowait, irq, softirq, steal.
constexpr size_t kIdle = 3;
constexpr size_t kWaiting = 4;
constexpr size_t kColumns = 8;

}  // namespace

std::chrono::nanoseconds rest_after(std::chrono::nanoseconds worked, double free_cores,
                                    const PaceOptions& options) {
  if (free_cores >= options.free_cores) return std::chrono::nanoseconds(0);
  const double share = std::clamp(free_cores, options.least_share, 1.0);
  const double rest = static_cast<double>(worked.count()) * (1 / share - 1);
  return std::chrono::nanoseconds(static_cast<int64_t>(rest));
}

double MachineLoad::free_cores(double own_cores) {
  std::ifstream file(path_);
  std::string word;
  file >> word;
  std::array<int64_t, kColumns> ticks{};
  int64_t total = 0;
  for (int64_t& column : ticks) {
    if (file >> column) total += column;
  }
  int cores = 0;
  while (file >> word) {
    const bool is_core = word.starts_with("cpu") && word.size() > 3;
    if (is_core) ++cores;
  }
  const int64_t idle = ticks[kIdle] + ticks[kWaiting];
  const int64_t idle_since = idle - last_idle_, total_since = total - last_total_;
  last_idle_ = idle;
  last_total_ = total;
  if (total_since <= 0 || cores == 0) return 0;
  const double share = static_cast<double>(idle_since) / static_cast<double>(total_since);
  return share * cores + own_cores;
}

}  // namespace triode::tuner
