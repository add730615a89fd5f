// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/pacer.h"

#include <algorithm>
#include <utility>

namespace triode::tuner {
namespace {

// Long against the ticks of 10 ms in which the system counts; short against what a user notices.
constexpr std::chrono::milliseconds kStretch(50);

// Few trials take so long. Rather the process was stopped, or the machine slept, and neither was
// work: to rest for it, at a twentieth of a core, would take twenty times as long. So of a longer
// stretch what it had of the cores was work, and the rest of it was not.
constexpr std::chrono::seconds kPause(60);

}  // namespace

Pacer::Pacer(const Clock& clock, MachineLoad& load, CpuTime cpu_time, PaceOptions options,
             Rest rest)
    : clock_(clock),
      load_(load),
      options_(options),
      cpu_time_(std::move(cpu_time)),
      rest_(std::move(rest)),
      worked_until_(clock.now()),
      looked_at_(clock.now()),
      used_(cpu_time_()) {
  (void)load_.free_cores(0);
}

void Pacer::begin() {
  worked_until_ = now();
}

void Pacer::breathe() {
  std::chrono::nanoseconds worked = now() - worked_until_;
  if (worked < kStretch) return;
  const std::chrono::nanoseconds so_far = cpu_time_();
  if (worked > kPause) {
    const auto had = std::clamp(so_far - used_, std::chrono::nanoseconds(0), worked);
    rested_ns_ += (worked - had).count();
    worked = had;
    if (worked < kStretch) return;
  }
  const std::chrono::nanoseconds looked = clock_.now();
  const auto window = std::max(looked - std::exchange(looked_at_, looked), worked);
  const auto used = std::max(so_far - std::exchange(used_, so_far), std::chrono::nanoseconds(0));
  const double own_cores = static_cast<double>(used.count()) / static_cast<double>(window.count());
  const double free_cores = load_.free_cores(own_cores);
  free_cores_.store(free_cores, std::memory_order_relaxed);
  rest_(rest_after(worked, free_cores, options_));
  rested_ns_ += (clock_.now() - looked).count();
  worked_until_ = now();
}

}  // namespace triode::tuner
