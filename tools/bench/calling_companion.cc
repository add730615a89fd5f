// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/calling_companion.h"

#include <utility>

namespace triode::bench {

CallingCompanion::CallingCompanion(std::vector<std::function<void()>> calls)
    : calls_(std::move(calls)),
      wanted_(calls_.size()),  // none of them
      made_(calls_.size()),
      thread_([this] { run(); }) {}

CallingCompanion::~CallingCompanion() {
  stops_.store(true, std::memory_order_relaxed);
  thread_.join();
}

void CallingCompanion::follow(std::size_t which) {
  wanted_.store(which, std::memory_order_relaxed);
  while (made_.load(std::memory_order_relaxed) != which) std::this_thread::yield();
}

void CallingCompanion::run() {
  while (!stops_.load(std::memory_order_relaxed)) {
    const std::size_t which = wanted_.load(std::memory_order_relaxed);
    if (which == calls_.size()) {
      std::this_thread::yield();
      continue;
    }
    calls_[which]();
    if (made_.load(std::memory_order_relaxed) != which) {
      made_.store(which,
                  std::memory_order_relaxed);  // not at every call: the other thread reads it
    }
  }
}

}  // namespace triode::bench
