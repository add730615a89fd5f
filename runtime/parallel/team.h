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
// A worker that has done its part stays and watches for the next loop for a while before it goes
// back to oneTBB. Two parts of 25 us take 25.6 us like this, with loops one after the other or 300
// us apart; by tbb::parallel_for in an arena kept alive they take 26.3 us and, as its workers are
// asleep after 300 us and slow to wake, 50 us, as if there were none. Past the watch a loop of ours
// wakes workers too, at 10 to 20 us of the caller's time. (Two cores of a Sapphire Rapids, under
// KVM.)
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

  bool call_workers();  // whether any had to be called
  void serve();
  void join_loop(uint64_t loop, int seat);
  void take_parts(int first);

  const int parts_;
  const int most_workers_;
  tbb::task_arena arena_;
  std::vector<Seat> seats_;
  Body body_ = nullptr;  // these two change only while no loop is open and no seat is busy
  void* context_ = nullptr;
  std::atomic<int> caller_cpu_{-1};  // where the last loop was called
  alignas(128) std::atomic<bool> is_in_use_{false};
  alignas(128) std::atomic<uint64_t> loop_{
      0};                                     // counts up when a loop opens (odd) and closes (even)
  alignas(128) std::atomic<int> workers_{0};  // called or watching
};

}  // namespace triode::parallel
