// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/problem.h"
#include "tools/bench/results.h"
#include "tools/bench/test_case.h"

namespace triode::bench {

class Peer;

struct ContestOptions {
  int rounds = 31;  // samples of each contestant that count; more is steadier
  std::chrono::nanoseconds min_sample = std::chrono::milliseconds(1);  // one sample lasts so long
  // Before each sample, wait until the worker threads of the contestant before have gone to sleep:
  // they spin for up to 200 ms and would take cores from the next. Needed on several threads.
  bool wait_for_workers = false;
  // Called with the contestant's number before each sample, off the clock. Not with
  // wait_for_workers.
  std::function<void(std::size_t contestant)> before_sample;
};

struct Contestant {
  std::string name;
  std::function<void()> call;
};

struct Contest {
  std::vector<Series> series;  // in the order of the contestants, all of one length
  std::int64_t rejected_rounds = 0;
  bool is_undisturbed = true;  // false: too few rounds were, so that disturbed ones had to count
};

// Times the contestants in turns on this thread, in an order that rotates, each sample after an
// untimed call. Rounds in which the thread lost its core (with wait_for_workers: for more than a
// hundredth of a sample) are dropped and taken again, up to as many again.
Contest hold_contest(std::span<const Contestant> contestants, const ContestOptions& options);

// Peers that give the right result for the test case, bound to its operands; those that do not, or
// do not know the problem, are added to `left_out`.
std::vector<Contestant> right_peers(std::span<const Peer* const> peers, const Problem& problem,
                                    TestCase& test_case, std::vector<LeftOut>& left_out);

}  // namespace triode::bench
