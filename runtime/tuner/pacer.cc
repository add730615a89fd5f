// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/pacer.h"

#include <algorithm>
#include <utility>

namespace triode::tuner {
namespace {

// Long against the ticks of 10 ms in which the system counts; short against what a user notices.
constexpr std::chrono::milliseconds kStretch(50);

// No trial takes so long. The process was stopped, or the machine slept, and neither was work: to
// rest for it, at a twentieth of a core, would take twenty times as long.
constexpr std::chrono::seconds kPause(60);

}  // namespace

Pacer::Pacer(const Clock& clock, MachineLoad& load, PaceOptions options, Rest rest)
    : clock_(clock),
      load_(load),
      options_(options),
      rest_(std::move(rest)),
      worked_until_(clock.now()),
      looked_at_(clock.now()) {
  (void)load_.free_cores(0);
}

void Pacer::begin() {
  worked_until_ = now();
}

void Pacer::breathe() {
  const std::chrono::nanoseconds worked = now() - worked_until_;
  if (worked < kStretch) return;
  if (worked > kPause) {
    rested_ns_ += worked.count();
    return;
  }
  const std::chrono::nanoseconds looked = clock_.now();
  const auto window = std::max(looked - std::exchange(looked_at_, looked), worked);
  // A trial keeps one core busy, in the worker.
  const double own_cores =
      static_cast<double>(worked.count()) / static_cast<double>(window.count());
  const double free_cores = load_.free_cores(own_cores);
  free_cores_.store(free_cores, std::memory_order_relaxed);
  rest_(rest_after(worked, free_cores, options_));
  rested_ns_ += (clock_.now() - looked).count();
  worked_until_ = now();
}

}  // namespace triode::tuner
