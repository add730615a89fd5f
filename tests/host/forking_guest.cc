// SPDX-License-Identifier: Apache-2.0
// Starts other processes between its calls.
//   forking_guest middle      ten calls, a child that makes three, five calls
//   forking_guest searching   forks children, one after the other, while calls are looked into
//   forking_guest tuned       a child that multiplies until the vendor answers no more
//   forking_guest vfork       a program in a child, by vfork
//   forking_guest exec        one call, then becomes `repeating_guest 5 7`, which lies beside it
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/host/own_tasks.h"
#include "tests/host/until_answered.h"

namespace {

// Whether the child ended by exit(0).
bool ended_well(pid_t child) {
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// Runs `body` in a child, which ends by exit() with 0 if it gave true.
template <typename Body>
pid_t in_child(const Body& body) {
  const pid_t child = fork();
  if (child == 0) std::exit(body() ? 0 : 1);
  return child;
}

void run_times(guest::SquareMatmul& matmul, int count) {
  for (int i = 0; i < count; ++i) matmul.run();
}

int fork_in_the_middle() {
  guest::SquareMatmul matmul(5);
  run_times(matmul, 10);
  const pid_t child = in_child([&] {
    run_times(matmul, 3);
    return matmul.is_right();
  });
  guest::say("child_ended_well", ended_well(child));
  run_times(matmul, 5);
  guest::say("is_right", matmul.is_right());
  return 0;
}

int fork_while_searching() {
  guest::SquareMatmul matmul(64), other(48);
  guest::run_until_searching(matmul);
  int ended = 0;
  for (int i = 0; i < 20; ++i) {
    ended += ended_well(in_child([&] {
      run_times(matmul, 20);
      return matmul.is_right() && other.run_is_right();
    }));
    run_times(matmul, 20);
  }
  guest::say("children_that_ended_well", ended);
  guest::say("is_right", matmul.is_right());
  return 0;
}

int tune_in_child() {
  guest::SquareMatmul matmul(64);
  guest::run_until_searching(matmul);
  const pid_t child = in_child([&] { return run_until_answered(matmul) && matmul.is_right(); });
  guest::say("child_ended_well", ended_well(child));
  return 0;
}

int start_by_vfork() {
  guest::SquareMatmul matmul(64);
  guest::run_until_searching(matmul);
  const pid_t child = vfork();
  if (child == 0) {
    execlp("true", "true", nullptr);
    _exit(1);
  }
  guest::say("child_ended_well", ended_well(child));
  guest::say("is_right", matmul.run_is_right());
  return 0;
}

int become_another() {
  guest::SquareMatmul matmul(64);
  guest::run_until_searching(matmul);
  const auto beside = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  execl((beside / "repeating_guest").c_str(), "repeating_guest", "5", "7", nullptr);
  return 1;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string what = count > 1 ? arguments[1] : "";
  if (what == "middle") return fork_in_the_middle();
  if (what == "searching") return fork_while_searching();
  if (what == "tuned") return tune_in_child();
  if (what == "vfork") return start_by_vfork();
  if (what == "exec") return become_another();
  return 2;
}
