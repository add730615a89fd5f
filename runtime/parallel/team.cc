// SPDX-License-Identifier: Apache-2.0
#include "runtime/parallel/team.h"

#include <immintrin.h>
#include <oneapi/tbb/global_control.h>
#include <sched.h>

#include <algorithm>
#include <chrono>

namespace triode::parallel {
namespace {

using SteadyClock = std::chrono::steady_clock;

// How long a worker without work watches for the next loop. Longer: programs with pauses between
// their matmuls pay less for waking it. Shorter: the cores go back sooner to the program's own
// threads, and the worker to the program's own use of oneTBB.
constexpr std::chrono::microseconds kWatch{1000};

// How long a thread waits without offering its core to others. Longer: they wait for us. Shorter:
// on a busy machine the core is gone when the next loop comes, which mostly is within microseconds.
constexpr std::chrono::microseconds kSpin{50};

// Between looks at the clock. A pause takes 40 to 140 cycles, so this is about 2 us.
constexpr int kPausesPerCheck = 64;

// Waits for something, and tells for how long it has.
class Wait {
 public:
  // About the time a cache line takes to come from another core; now and then longer.
  void pause() {
    _mm_pause();
    if (++pauses_ % kPausesPerCheck != 0) return;
    elapsed_ = SteadyClock::now() - start_;
    if (elapsed_ > kSpin) sched_yield();
  }

  SteadyClock::duration elapsed() const { return elapsed_; }

 private:
  SteadyClock::time_point start_ = SteadyClock::now();
  SteadyClock::duration elapsed_{0};
  int pauses_ = 0;
};

constexpr bool is_open(uint64_t loop) {
  return loop % 2 == 1;
}

// Moves the calling thread off a core, and leaves its affinity as it was. If the system refuses,
// the thread stays: that costs time only.
void move_off(int cpu) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  cpu_set_t others = allowed;
  CPU_CLR(cpu, &others);
  if (CPU_COUNT(&others) == 0 || sched_setaffinity(0, sizeof others, &others) != 0) return;
  sched_setaffinity(0, sizeof allowed, &allowed);
}

// Threads of an arena for a team: oneTBB prints a warning if it is asked for more than it may give.
int arena_size(int threads) {
  const size_t most =
      tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  return static_cast<int>(std::min(static_cast<size_t>(threads), most));
}

}  // namespace

Team::Team(int parts)
    : parts_(parts),
      most_workers_(arena_size(parts) - 1),
      arena_(arena_size(parts), /*reserved_for_masters=*/1),
      seats_(static_cast<size_t>(parts)) {}

bool Team::try_run(Body body, void* context) {
  if (is_in_use_.exchange(true, std::memory_order_acquire)) return false;
  body_ = body;
  context_ = context;
  for (Seat& seat : seats_) seat.is_taken.store(false, std::memory_order_relaxed);
  const uint64_t loop = loop_.load(std::memory_order_relaxed) + 1;
  caller_cpu_.store(sched_getcpu(), std::memory_order_relaxed);
  loop_.store(loop);
  // A worker woken on this core, as often happens where there are two, would only run once the
  // caller is preempted: milliseconds of loops that the caller does alone (see serve()).
  if (call_workers()) sched_yield();
  take_parts(0);
  // Closing before looking at the seats, as join_loop() sits down before looking at the loop: a
  // worker that comes late either sees the loop closed or is seen here.
  loop_.store(loop + 1);
  Wait wait;
  for (Seat& seat : seats_) {
    while (seat.is_busy.load()) wait.pause();
  }
  is_in_use_.store(false, std::memory_order_release);
  return true;
}

bool Team::call_workers() {
  bool has_called = false;
  while (workers_.load() < most_workers_) {
    workers_.fetch_add(1);
    try {
      // oneTBB hands `this` over in a way the thread sanitizer cannot see; what serve() does it
      // can.
      arena_.enqueue([this]() __attribute__((no_sanitize_thread)) { serve(); });
    } catch (...) {
      // No memory or no threads: the caller does without, as the interface promises.
      workers_.fetch_sub(1);
      return has_called;
    }
    has_called = true;
  }
  return has_called;
}

void Team::serve() {
  const int seat = tbb::this_task_arena::current_thread_index();
  // The kernel likes to wake a thread on the core of the one that woke it, or where it last ran.
  // There it would wait for the caller to be preempted, 4 ms long; and the next time again.
  const int caller_cpu = caller_cpu_.load(std::memory_order_relaxed);
  if (sched_getcpu() == caller_cpu) move_off(caller_cpu);
  uint64_t served = 0;
  Wait wait;
  while (wait.elapsed() < kWatch) {
    const uint64_t loop = loop_.load();
    if (is_open(loop) && loop != served) {
      served = loop;
      join_loop(loop, seat);
      wait = Wait();
    }
    wait.pause();
  }
  workers_.fetch_sub(1);
}

void Team::join_loop(uint64_t loop, int seat) {
  std::atomic<bool>& is_busy = seats_[seat].is_busy;
  is_busy.store(true);
  if (loop_.load() == loop) take_parts(seat);
  is_busy.store(false);
}

void Team::take_parts(int first) {
  for (int i = 0; i < parts_; ++i) {
    const int part = first + i < parts_ ? first + i : first + i - parts_;
    std::atomic<bool>& is_taken = seats_[part].is_taken;
    if (is_taken.load(std::memory_order_relaxed)) continue;
    if (!is_taken.exchange(true, std::memory_order_acq_rel)) body_(context_, part);
  }
}

}  // namespace triode::parallel
