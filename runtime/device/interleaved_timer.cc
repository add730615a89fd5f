// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/interleaved_timer.h"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "core/measurement.h"

namespace triode {
namespace {

using Nanoseconds = std::chrono::nanoseconds;
using Contender = std::function<void()>;

// Rounds between two looks at the time stolen by a hypervisor, which takes tens of microseconds to
// read and comes in ticks of 10 ms: more often would cost as much as the timing, less often would
// throw away more rounds for one tick. Rounds that take long by themselves get a look each.
constexpr int kRoundsPerBatch = 5;
constexpr Nanoseconds kLongBatch = std::chrono::milliseconds(2);

// A call longer than this warms the caches by itself within a few percent of its own time, so it
// gets no untimed call before it: that would double the cost of timing large problems.
constexpr Nanoseconds kLongCall = std::chrono::milliseconds(5);

struct Round {
  std::vector<double> times_ns;
  int64_t disturbance = 0;  // preemptions or samples that waited, and ticks stolen in its batch
};

class Interleaving {
 public:
  Interleaving(std::span<const Contender> contenders, const InterleavedOptions& options)
      : contenders_(contenders),
        options_(options),
        clock_(options.clock != nullptr ? *options.clock : steady_clock()),
        interruptions_(options.interruptions != nullptr ? *options.interruptions
                                                        : kernel_interruptions()) {}

  InterleavedTimes run() {
    const Nanoseconds start = clock_.now();
    for (size_t i = 0; i < contenders_.size() && !should_stop(); ++i) calibrate(i);
    do {
      take_batch(start + options_.budget);
    } while (!is_stopped_ && !is_finished(start + options_.budget));
    return is_stopped_ ? nothing() : summary();
  }

 private:
  bool should_stop() {
    if (!is_stopped_ && options_.should_stop) is_stopped_ = options_.should_stop();
    return is_stopped_;
  }

  // Finds how many calls make a sample of the length wanted, from ever longer runs.
  void calibrate(size_t contender) {
    contenders_[contender]();  // the first call may build plans, start threads and touch new pages
    if (should_stop()) return;
    int repeats = 1;
    Nanoseconds time = sample(contender, repeats);
    while (time < options_.min_sample && repeats < options_.max_repeats && !should_stop()) {
      const int64_t wanted = time.count() > 0
                                 ? options_.min_sample.count() * repeats / time.count() + 1
                                 : int64_t{repeats} * 10;
      // At most tenfold a step: a first time far too short would else make a sample of minutes.
      const int64_t next = std::clamp<int64_t>(wanted, repeats + 1, int64_t{repeats} * 10);
      repeats = static_cast<int>(std::min<int64_t>(next, options_.max_repeats));
      time = sample(contender, repeats);
    }
    repeats_.push_back(repeats);
    needs_warm_up_.push_back(options_.warms_up && time / repeats < kLongCall);
  }

  Nanoseconds sample(size_t contender, int repeats) const {
    const Contender& call = contenders_[contender];
    if (options_.before_sample) options_.before_sample(contender, repeats);
    const Nanoseconds start = clock_.now();
    for (int i = 0; i < repeats; ++i) call();
    return clock_.now() - start;
  }

  // Each contender comes first equally often, and in every other round the order is turned round:
  // of two, first-second, second-first, second-first, first-second.
  std::vector<size_t> order_of(int round) const {
    std::vector<size_t> order(contenders_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    const size_t first = static_cast<size_t>(round / 2) % order.size();
    std::rotate(order.begin(), order.begin() + static_cast<ptrdiff_t>(first), order.end());
    if (round % 2 == 1) std::reverse(order.begin(), order.end());
    return order;
  }

  void take_round() {
    Round round{std::vector<double>(contenders_.size()), 0};
    const std::vector<size_t> order = order_of(static_cast<int>(rounds_.size()));
    const int64_t before = interruptions_.preemptions();
    int64_t waits = 0;
    for (const size_t i : order) {
      if (should_stop()) return;
      if (needs_warm_up_[i]) contenders_[i]();
      const Nanoseconds waited =
          options_.tolerated_wait > 0 ? interruptions_.waited() : Nanoseconds();
      const Nanoseconds time = sample(i, repeats_[i]);
      if (options_.tolerated_wait > 0) waits += waited_long(interruptions_.waited() - waited, time);
      round.times_ns[i] = static_cast<double>(time.count()) / repeats_[i];
    }
    round.disturbance = options_.tolerated_wait > 0 ? waits : interruptions_.preemptions() - before;
    rounds_.push_back(std::move(round));
  }

  bool waited_long(Nanoseconds waited, Nanoseconds time) const {
    return static_cast<double>(waited.count()) >
           options_.tolerated_wait * static_cast<double>(time.count());
  }

  void take_batch(Nanoseconds deadline) {
    const size_t first = rounds_.size();
    const int64_t before = interruptions_.stolen_ticks();
    const Nanoseconds begin = clock_.now();
    for (int i = 0; i < kRoundsPerBatch && !is_stopped_ && !is_spent(deadline); ++i) {
      if (i > 0 && clock_.now() - begin > kLongBatch) break;
      take_round();
    }
    const int64_t stolen = interruptions_.stolen_ticks() - before;
    for (size_t i = first; i < rounds_.size(); ++i) rounds_[i].disturbance += stolen;
  }

  bool is_spent(Nanoseconds deadline) const {
    const int rounds = static_cast<int>(rounds_.size());
    if (rounds < std::max(1, options_.min_rounds)) return false;
    return rounds >= options_.max_rounds || clock_.now() >= deadline;
  }

  bool is_finished(Nanoseconds deadline) const { return is_spent(deadline) || is_steady(); }

  int count_undisturbed() const {
    return static_cast<int>(std::count_if(
        rounds_.begin(), rounds_.end(), [](const Round& round) { return round.disturbance == 0; }));
  }

  bool is_steady() const {
    if (count_undisturbed() < options_.min_rounds) return false;
    const InterleavedTimes times = summary();
    if (contenders_.size() == 1) return spread_of(times.times_of(0)) <= options_.target_spread;
    for (size_t i = 1; i < contenders_.size(); ++i) {
      if (spread_of(times.ratios(i, 0)) > options_.target_spread) return false;
    }
    return true;
  }

  static InterleavedTimes nothing() {
    InterleavedTimes times;
    times.is_stopped = true;
    return times;
  }

  // The disturbance up to which a round counts: none, unless that leaves too few.
  int64_t tolerated_disturbance() const {
    const size_t needed =
        std::min(rounds_.size(), static_cast<size_t>(std::max(1, options_.min_rounds)));
    std::vector<int64_t> disturbances;
    for (const Round& round : rounds_) disturbances.push_back(round.disturbance);
    std::sort(disturbances.begin(), disturbances.end());
    return disturbances[needed - 1];
  }

  InterleavedTimes summary() const {
    InterleavedTimes times;
    const int64_t tolerated = tolerated_disturbance();
    for (const Round& round : rounds_) {
      if (round.disturbance <= tolerated) times.rounds_ns.push_back(round.times_ns);
    }
    times.repeats = repeats_;
    times.rounds = static_cast<int>(rounds_.size());
    times.rejected = times.rounds - count_undisturbed();
    times.is_undisturbed = tolerated == 0;
    return times;
  }

  std::span<const Contender> contenders_;
  const InterleavedOptions& options_;
  const Clock& clock_;
  const InterruptionCounter& interruptions_;
  std::vector<int> repeats_;
  std::vector<bool> needs_warm_up_;
  std::vector<Round> rounds_;
  bool is_stopped_ = false;  // options_.should_stop said so
};

}  // namespace

std::vector<double> InterleavedTimes::times_of(size_t contender) const {
  std::vector<double> times;
  times.reserve(rounds_ns.size());
  for (const auto& round : rounds_ns) times.push_back(round[contender]);
  return times;
}

std::vector<double> InterleavedTimes::ratios(size_t numerator, size_t denominator) const {
  std::vector<double> ratios;
  ratios.reserve(rounds_ns.size());
  for (const auto& round : rounds_ns) ratios.push_back(round[numerator] / round[denominator]);
  return ratios;
}

InterleavedTimes time_interleaved(std::span<const Contender> contenders,
                                  const InterleavedOptions& options) {
  if (contenders.empty()) return {};
  return Interleaving(contenders, options).run();
}

}  // namespace triode
