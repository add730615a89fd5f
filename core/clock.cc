// SPDX-License-Identifier: Apache-2.0
#include "core/clock.h"

namespace triode {
namespace {

class SteadyClock : public Clock {
 public:
  std::chrono::nanoseconds now() const override {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
        std::chrono::steady_clock::now().time_since_epoch());
  }
};

}  // namespace

const Clock& steady_clock() {
  // Never destroyed: inside another's process, threads may still ask for the time during its exit.
  static const Clock& clock = *new SteadyClock;
  return clock;
}

}  // namespace triode
