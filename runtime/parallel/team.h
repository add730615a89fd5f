// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <oneapi/tbb/task_arena.h>

#include <atomic>
#include <cstdint>
#include <vector>

namespace triode::parallel {

using Body = void (*)(void* context, int part);

// A fixed number of threads, the caller and oneTBB workers, that run loops of as many parts.
//
// A worker that has done its part stays and watches for the next loop for a short while before it
// goes back to oneTBB. Waking a sleeping thread takes 10 to 50 us, as long as many of the matmuls
// shared out here; a worker that watches starts within half a microsecond, where tbb::parallel_for
// in an arena kept alive takes over a microsecond (docs/adr is no place for it: see tools/bench to
// repeat this).
//
// The caller never waits for a worker to come: a part that no worker has taken it does itself. So a
// loop ends even if oneTBB has no worker to give.
class Team {
 public:
  explicit Team(int parts);
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  // Calls body(context, part) for each part below `parts` and returns when all have ended. Part i
  // goes to worker i if it is there, so that each finds in its caches what it used last time.
  // False, and nothing done, if another thread's loop is under way.
  bool try_run(Body body, void* context);

 private:
  // A cache line (two: they are fetched in pairs) of its own, so that takers do not disturb each
  // other.
  struct alignas(128) Seat {
    std::atomic<bool> is_busy{false};   // its worker may be in the loop
    std::atomic<bool> is_taken{false};  // someone does, or has done, the part of this number
  };

  void call_workers();
  void serve();
  void join_loop(uint64_t loop, int seat);
  void take_parts(int first);

  const int parts_;
  const int most_workers_;
  tbb::task_arena arena_;
  std::vector<Seat> seats_;
  Body body_ = nullptr;  // these two change only while no loop is open and no seat is busy
  void* context_ = nullptr;
  alignas(128) std::atomic<bool> is_in_use_{false};
  alignas(128) std::atomic<uint64_t> loop_{
      0};                                     // counts up when a loop opens (odd) and closes (even)
  alignas(128) std::atomic<int> workers_{0};  // called or watching
};

}  // namespace triode::parallel
