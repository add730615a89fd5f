// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/running_threads.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace triode::bench {

namespace fs = std::filesystem;

bool says_running(std::string_view stat) {
  // "TID (name) S ...": the name ends at the last parenthesis.
  const std::size_t end = stat.rfind(')');
  return end != std::string_view::npos && stat.substr(end).starts_with(") R");
}

bool other_threads_run() {
  const std::string own = std::to_string(gettid());
  std::error_code error;
  fs::directory_iterator threads("/proc/self/task", error);
  while (!error && threads != fs::directory_iterator()) {
    // A thread that ended meanwhile has no file any more, and reads as an empty line.
    std::string stat;
    std::ifstream file(threads->path() / "stat");
    std::getline(file, stat);
    if (threads->path().filename() != own && says_running(stat)) return true;
    threads.increment(error);
  }
  return false;
}

}  // namespace triode::bench
