// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/comparison.h"

#include <thread>

#include "runtime/device/interleaved_timer.h"
#include "tools/bench/peers.h"
#include "tools/bench/running_threads.h"

namespace triode::bench {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

// Of a sample on all cores. Smaller than what a round's ratio varies by without any interruption;
// ten times less would reject most rounds, since something always runs somewhere.
constexpr double kToleratedWait = 0.01;

// Returns when no other thread of the process runs or wants to: then nobody spins. Gives up after
// twice the longest spin known (200 ms of Intel's OpenMP): a library that never sleeps would
// disturb any program it is in.
void wait_for_workers() {
  constexpr nanoseconds kNap = std::chrono::microseconds(500);
  constexpr nanoseconds kLongest = milliseconds(400);
  for (nanoseconds waited{}; waited < kLongest; waited += kNap) {
    std::this_thread::sleep_for(kNap);
    if (!other_threads_run()) return;
  }
}

InterleavedOptions timer_options(std::span<const std::function<void()>> calls,
                                 const ContestOptions& options) {
  InterleavedOptions timer;
  timer.budget = std::chrono::minutes(5);  // the rounds decide; this stops a machine that hangs
  timer.min_sample = options.min_sample;
  timer.target_spread = 1;  // any: as many rounds for a steady shape as for an unsteady one
  timer.min_rounds = options.rounds;
  timer.max_rounds = 2 * options.rounds;
  if (options.wait_for_workers) {
    timer.tolerated_wait = kToleratedWait;
    timer.warms_up = false;  // its workers would spin again, and be waited for, for nothing
    timer.before_sample = [calls](std::size_t contender, int) {
      wait_for_workers();
      calls[contender]();  // its own workers slept too: wake them off the clock
    };
  } else if (options.before_sample) {
    timer.before_sample = [&options](std::size_t contender, int) {
      options.before_sample(contender);
    };
  }
  return timer;
}

}  // namespace

Contest hold_contest(std::span<const Contestant> contestants, const ContestOptions& options) {
  std::vector<std::function<void()>> calls;
  for (const Contestant& contestant : contestants) calls.push_back(contestant.call);
  const InterleavedTimes times = time_interleaved(calls, timer_options(calls, options));
  Contest contest;
  contest.rejected_rounds = times.rejected;
  contest.is_undisturbed = times.is_undisturbed;
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    contest.series.push_back({contestants[i].name, times.times_of(i), times.repeats[i]});
  }
  return contest;
}

std::vector<Contestant> right_peers(std::span<const Peer* const> peers, const Problem& problem,
                                    TestCase& test_case, std::vector<LeftOut>& left_out) {
  std::vector<Contestant> contestants;
  for (const Peer* peer : peers) {
    if (!peer->supports(problem)) {
      left_out.push_back({peer->name(), "has no call for this problem"});
      continue;
    }
    std::function<void()> call = peer->bind(problem, test_case.operands());
    test_case.reset_c();
    call();
    const Outcome outcome = test_case.check();
    if (outcome.ok()) {
      contestants.push_back({peer->name(), std::move(call)});
    } else {
      left_out.push_back({peer->name(), outcome.reason});
    }
  }
  return contestants;
}

}  // namespace triode::bench
