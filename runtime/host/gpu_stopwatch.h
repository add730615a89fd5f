// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace triode::host {

enum class Answerer : uint8_t { kPlan, kVendor };

// One call on a GPU that is being timed, from GpuStopwatch::begin() to end().
class GpuLap {
 public:
  // Once the call was enqueued, on the stream that begin() was told of; if it was not, or not all
  // of it, what it took does not count.
  virtual void end(bool counts) noexcept = 0;

 protected:
  ~GpuLap() = default;
};

// What calls of one entry take on a GPU, by the plan and by the vendor. Callers mark where a call
// begins and ends on their stream, and wait for nothing; what it took is read later, on another
// thread.
class GpuStopwatch {
 public:
  virtual ~GpuStopwatch() = default;

  // Whether calls on the stream may be timed, and so be given to the vendor for that. Not while it
  // is captured: a graph would keep who answered, and has no times. Any thread; asks the driver.
  virtual bool may_time(void* stream) const noexcept = 0;

  // Before the call is enqueued on the stream. Null, and it is not timed, if too many are on their
  // way or the driver refuses. Any thread; no lock of ours and no allocation.
  virtual GpuLap* begin(Answerer answerer, void* stream) noexcept = 0;

  // Medians of the calls of either in one stretch of the program's time.
  struct Stretch {
    double plan_ns = 0;
    double vendor_ns = 0;
  };
  // The next stretch of at least so many calls of each; empty while there are fewer. These two for
  // one thread.
  virtual std::optional<Stretch> take_stretch(size_t fewest) = 0;
  // Another plan answers from here on: what was timed before says nothing of it.
  virtual void restart() = 0;
};

}  // namespace triode::host
