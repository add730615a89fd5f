// SPDX-License-Identifier: Apache-2.0
// Multiplies in a signal's handler, and looks where signals arrive.
//   signals_guest inside    a signal arrives while the BLAS is at work
//   signals_guest storm     one every half millisecond, for half a second
//   signals_guest masked    a signal that its only thread blocks, while calls are looked into
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <string>

#include "tests/host/own_tasks.h"

extern "C" void do_inside_stand_in_call(void (*function)());

namespace {

guest::SquareMatmul outer(64), inner(12);
std::atomic<int> handled{0};
std::atomic<bool> inner_is_right{true};

void handle(int) {
  if (!inner.run_is_right()) inner_is_right = false;
  ++handled;
}

void say_what_came() {
  guest::say("handled", handled);
  guest::say("inner_is_right", inner_is_right);
}

void signal_inside_call() {
  signal(SIGUSR1, handle);
  do_inside_stand_in_call([] { raise(SIGUSR1); });
  guest::say("outer_is_right", outer.run_is_right());
  say_what_came();
}

void set_timer(int microseconds) {
  const itimerval timer{{0, microseconds}, {0, microseconds}};
  setitimer(ITIMER_REAL, &timer, nullptr);
}

// Both have been called before: a first call asks the loader, which no handler may interrupt.
void storm() {
  outer.run();
  inner.run();
  signal(SIGALRM, handle);
  set_timer(500);
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
  int calls = 0;
  bool is_right = true;
  for (; std::chrono::steady_clock::now() < end; ++calls)
    is_right = outer.run_is_right() && is_right;
  set_timer(0);
  guest::say("outer_is_right", is_right);
  guest::say("outer_calls", calls);
  say_what_came();
}

// The line of signals that a thread blocks, as a number; all are 64 bits, less those none can.
unsigned long long blocked_by(const std::string& task) {
  std::ifstream status("/proc/self/task/" + task + "/status");
  for (std::string word; status >> word;) {
    if (word != "SigBlk:") continue;
    unsigned long long mask = 0;
    status >> std::hex >> mask;
    return mask;
  }
  return 0;
}

void block_one_signal() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  signal(SIGTERM, [](int) { ++handled; });
  sigprocmask(SIG_BLOCK, &set, nullptr);
  guest::run_until_searching(outer);
  for (const std::string& task : guest::tasks()) {
    if (task != std::to_string(getpid())) {
      guest::say("other_thread_blocks", static_cast<long long>(blocked_by(task)));
    }
  }
  kill(getpid(), SIGTERM);
  usleep(20'000);
  guest::say("handled_while_blocked", handled);
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
  guest::say("handled_afterwards", handled);
}

}  // namespace

int main(int count, char** arguments) {
  const std::string what = count > 1 ? arguments[1] : "";
  if (what == "inside") signal_inside_call();
  if (what == "storm") storm();
  if (what == "masked") block_one_signal();
}
