// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/tuner_statistics.h"

#include <algorithm>
#include <cassert>
#include <cstddef>

#include "core/measurement.h"
#include "tools/bench/host_overhead_summary.h"

namespace triode::bench {
namespace {

double speedup_of(const ConvergenceRound& round) {
  return round.vendor_ns / round.program_ns;
}

}  // namespace

std::vector<double> ratios(std::span<const double> over, std::span<const double> under) {
  assert(over.size() == under.size());
  std::vector<double> all;
  for (std::size_t i = 0; i < over.size(); ++i) all.push_back(over[i] / under[i]);
  return all;
}

std::optional<WindowFigures> figures_of(const Window& window, std::span<const TimedCall> calls) {
  std::vector<double> durations;
  for (const TimedCall& call : calls) {
    const bool is_inside =
        call.begin_ns >= window.begin_ns && call.begin_ns + call.duration_ns <= window.end_ns;
    if (is_inside) durations.push_back(static_cast<double>(call.duration_ns));
  }
  if (durations.size() < kLeastCalls) return std::nullopt;
  WindowFigures figures;
  figures.is_tuning = window.is_tuning;
  figures.seconds = 1e-9 * static_cast<double>(window.end_ns - window.begin_ns);
  figures.calls_per_s = static_cast<double>(durations.size()) / figures.seconds;
  figures.p50_ns = median_of(durations);
  figures.p99_ns = p99_of(durations);
  figures.tuner_cores = window.tuner_cpu_s / figures.seconds;
  return figures;
}

Interference interference_of(std::span<const WindowFigures> windows) {
  Interference found;
  for (std::size_t i = 1; i + 1 < windows.size(); ++i) {
    const WindowFigures &before = windows[i - 1], &here = windows[i], &after = windows[i + 1];
    if (!here.is_tuning || before.is_tuning || after.is_tuning) continue;
    found.throughput.push_back(2 * here.calls_per_s / (before.calls_per_s + after.calls_per_s));
    found.p99.push_back(2 * here.p99_ns / (before.p99_ns + after.p99_ns));
  }
  return found;
}

std::vector<double> smoothed_speedups(std::span<const ConvergenceRound> rounds) {
  std::vector<double> smoothed;
  std::size_t begin = 0, end = 0;
  for (const ConvergenceRound& round : rounds) {
    while (rounds[begin].seconds < round.seconds - kSmoothedS) ++begin;
    while (end < rounds.size() && rounds[end].seconds <= round.seconds + kSmoothedS) ++end;
    std::vector<double> near;
    for (std::size_t i = begin; i < end; ++i) near.push_back(speedup_of(rounds[i]));
    smoothed.push_back(median_of(near));
  }
  return smoothed;
}

double final_speedup(std::span<const ConvergenceRound> rounds) {
  assert(!rounds.empty());
  const std::size_t count = std::min(rounds.size(), std::max<std::size_t>(5, rounds.size() / 10));
  std::vector<double> last;
  for (const ConvergenceRound& round : rounds.last(count)) last.push_back(speedup_of(round));
  return median_of(last);
}

std::optional<double> seconds_to_share(std::span<const ConvergenceRound> rounds, double share) {
  const double aim = 1 + share * (final_speedup(rounds) - 1);
  if (aim <= 1) return std::nullopt;
  const std::vector<double> speedups = smoothed_speedups(rounds);
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    if (speedups[i] >= aim) return rounds[i].seconds;
  }
  return std::nullopt;  // the smoothed curve never came there, but its end is above: a jump
}

}  // namespace triode::bench
