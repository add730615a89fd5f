// SPDX-License-Identifier: Apache-2.0
// Looks at its own threads and open files: before it multiplies, after calls that are over in no
// time, and after some that take long.
#include <chrono>

#include "tests/host/own_tasks.h"

namespace {

void say_what_is_there(const char* tasks_name, const char* files_name) {
  guest::say(tasks_name, static_cast<long long>(guest::tasks().size()));
  guest::say(files_name, static_cast<long long>(guest::entries_of("/proc/self/fd").size()));
}

}  // namespace

int main() {
  say_what_is_there("tasks_before", "files_before");
  guest::SquareMatmul quick(4), slow(64);
  for (int i = 0; i < 100; ++i) quick.run();
  slow.run();
  say_what_is_there("tasks_between", "files_between");
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
  while (std::chrono::steady_clock::now() < end) slow.run();
  say_what_is_there("tasks_after", "files_after");
  guest::say("is_right", slow.is_right() && quick.is_right());
}
