// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/host/guest_matmul.h"

// What a guest can see of itself from outside.
namespace guest {

inline std::vector<std::string> entries_of(const char* folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename());
  }
  return names;
}

// Threads of this process, by id.
inline std::vector<std::string> tasks() {
  return entries_of("/proc/self/task");
}

// Makes calls that are worth a search until it has begun, and some more for it to get going.
inline void run_until_searching(SquareMatmul& matmul) {
  while (tasks().size() < 2) matmul.run();
  usleep(50'000);
}

}  // namespace guest
