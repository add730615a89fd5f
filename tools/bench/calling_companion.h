// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

namespace triode::bench {

// A second thread that makes the same calls as the one that is timed, on operands of its own.
class CallingCompanion {
 public:
  // Starts the thread, which does nothing yet.
  explicit CallingCompanion(std::vector<std::function<void()>> calls);
  CallingCompanion(const CallingCompanion&) = delete;
  CallingCompanion& operator=(const CallingCompanion&) = delete;
  ~CallingCompanion();  // ends it

  // From now on it makes calls[which], over and over. Returns when it has made one.
  void follow(std::size_t which);

 private:
  void run();

  const std::vector<std::function<void()>> calls_;
  std::atomic<std::size_t> wanted_;
  std::atomic<std::size_t> made_;
  std::atomic<bool> stops_{false};
  std::thread thread_;  // last: it uses the rest
};

}  // namespace triode::bench
