// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/interruption_counter.h"

#include <sys/resource.h>

#include <fstream>
#include <string>

namespace triode {
namespace {

class KernelInterruptions final : public InterruptionCounter {
 public:
  int64_t preemptions() const override {
    rusage usage{};
    return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nivcsw : 0;
  }

  std::chrono::nanoseconds waited() const override {
    // "time-on-cpu time-waited switches"
    std::ifstream file("/proc/thread-self/schedstat");
    int64_t on_cpu_ns = 0;
    int64_t waited_ns = 0;
    return file >> on_cpu_ns >> waited_ns ? std::chrono::nanoseconds(waited_ns)
                                          : std::chrono::nanoseconds(0);
  }

  int64_t stolen_ticks() const override {
    // "cpu user nice system idle iowait irq softirq steal ...": the sum over all cores comes first.
    std::ifstream file("/proc/stat");
    std::string name;
    int64_t ticks = 0;
    file >> name;
    for (int field = 0; field < 8; ++field) file >> ticks;
    return file && name == "cpu" ? ticks : 0;
  }
};

}  // namespace

const InterruptionCounter& kernel_interruptions() {
  static const KernelInterruptions counter;
  return counter;
}

}  // namespace triode
