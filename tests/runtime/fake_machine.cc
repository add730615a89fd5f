// SPDX-License-Identifier: Apache-2.0
#include "tests/runtime/fake_machine.h"

#include <utility>

namespace triode {

std::function<void()> FakeMachine::steady(std::chrono::nanoseconds time) {
  return [this, time] { pass(time); };
}

std::function<void()> FakeMachine::varying(std::vector<std::chrono::nanoseconds> times) {
  return [this, times = std::move(times), next = size_t{0}]() mutable {
    pass(times[next++ % times.size()]);
  };
}

}  // namespace triode
