// SPDX-License-Identifier: Apache-2.0
// Multiplies on its way out.
//   exiting_guest handlers SIZE   by handlers of exit() and a static object's destructor
//   exiting_guest searching SIZE  ends while calls are looked into
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "tests/host/own_tasks.h"

namespace {

guest::SquareMatmul* matmul = nullptr;

// Fills memory that was free, multiplies, and looks whether the memory is still what it was: a call
// may not write where something lay that has been given back.
bool run_beside_used_memory() {
  constexpr unsigned char kMark = 0xA5;
  std::vector<std::vector<unsigned char>> blocks;
  for (size_t size_bytes = 64 << 10; size_bytes <= 1 << 20; size_bytes += 64 << 10) {
    blocks.emplace_back(size_bytes, kMark);
  }
  const bool is_right = matmul->run_is_right();
  for (const auto& block : blocks) {
    if (block != std::vector<unsigned char>(block.size(), kMark)) return false;
  }
  return is_right;
}

struct SaysAtEnd {
  bool multiplies = false;
  ~SaysAtEnd() {
    if (multiplies) guest::say("destructor_is_right", run_beside_used_memory());
  }
} at_end;

void multiply_in_handlers() {
  at_end.multiplies = true;
  std::atexit([] { guest::say("first_handler_is_right", run_beside_used_memory()); });
  for (int i = 0; i < 20; ++i) matmul->run();
  std::atexit([] { guest::say("second_handler_is_right", run_beside_used_memory()); });
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return 2;
  matmul = new guest::SquareMatmul(std::atoi(arguments[2]));
  const std::string what = arguments[1];
  if (what == "handlers") multiply_in_handlers();
  if (what == "searching") guest::run_until_searching(*matmul);
  guest::say("end_ns", std::chrono::steady_clock::now().time_since_epoch().count());
  return 3;
}
