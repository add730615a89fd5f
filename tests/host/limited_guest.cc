// SPDX-License-Identifier: Apache-2.0
// Multiplies for half a second with little memory.
//   limited_guest KB           so much is left when it begins
//   limited_guest exhausted    none is left after its first call
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>

#include "tests/host/guest_matmul.h"

namespace {

void leave_room_for(rlim_t size_bytes) {
  rlim_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t used = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
  const rlimit limit{used + size_bytes, used + size_bytes};
  setrlimit(RLIMIT_AS, &limit);
}

void use_up_all() {
  leave_room_for(0);
  for (size_t size_bytes = 1 << 20; size_bytes >= 16; size_bytes /= 2) {
    while (void* volatile block = std::malloc(size_bytes)) static_cast<void>(block);
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  guest::SquareMatmul matmul(64);
  guest::say("begins", 1);  // allocates the stream's buffer
  if (std::string(arguments[1]) == "exhausted") {
    matmul.run();
    use_up_all();
  } else {
    leave_room_for(static_cast<rlim_t>(std::atoll(arguments[1])) << 10);
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
  while (std::chrono::steady_clock::now() < end) matmul.run();
  guest::say("is_right", matmul.is_right());
}
