// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "core/status.h"
#include "runtime/device/cuda_driver.h"
#include "runtime/host/gpu_stopwatch.h"

namespace triode::host {

// By events of the driver. They are made at once, and stay for the life of the process: they may be
// on a stream still. After an error of the driver nothing is timed any more.
class EventStopwatch final : public GpuStopwatch {
 public:
  // Does something in the context of the calls, on a thread that may speak to the driver, and waits
  // for it; false if nobody did it.
  using InContext = std::function<bool(const std::function<void()>& work)>;

  // kUnavailable if there are no events.
  static Result<std::unique_ptr<EventStopwatch>> create(std::shared_ptr<const CudaDriver> driver,
                                                        InContext in_context);

  bool may_time(void* stream) const noexcept override;
  GpuLap* begin(Answerer answerer, void* stream) noexcept override;
  std::optional<Stretch> take_stretch(size_t fewest) override;
  void restart() override;

 private:
  class Lap final : public GpuLap {
   public:
    Status make_events(const CudaDriver& driver);
    bool try_begin(Answerer answerer, CUstream stream) noexcept;
    void end(bool counts) noexcept override;
    bool is_waiting() const { return state_.load(std::memory_order_acquire) == State::kWaiting; }
    // Only while it is waiting.
    void forget() noexcept { enter(State::kFree); }
    // What the GPU took, once it has; empty until then. CUDA_SUCCESS or not, the lap may be begun
    // anew after anything but CUDA_ERROR_NOT_READY.
    CUresult read(double& ns) noexcept;
    Answerer answerer() const { return answerer_; }

   private:
    enum class State : uint8_t { kFree, kTaken, kWaiting };
    void enter(State state) noexcept { state_.store(state, std::memory_order_release); }

    const CudaDriver* driver_ = nullptr;
    CUevent begin_ = nullptr, end_ = nullptr;
    CUstream stream_ = nullptr;
    Answerer answerer_ = Answerer::kPlan;
    std::atomic<State> state_{State::kFree};
  };

  // Calls whose times were not read yet: the client looks every 20 ms, and some of both sides
  // should be among those that come meanwhile.
  static constexpr size_t kLaps = 16;
  // So many are read at once: a reading wakes a thread of the program's process, for each of
  // hundreds of entries.
  static constexpr ptrdiff_t kLapsPerReading = 4;
  // Kept of one side while the other has too few.
  static constexpr size_t kMostTimes = 64;

  EventStopwatch(std::shared_ptr<const CudaDriver> driver, InContext in_context)
      : driver_(std::move(driver)), in_context_(std::move(in_context)) {}
  void read_laps() noexcept;
  std::vector<double>& times_of(Answerer answerer) {
    return answerer == Answerer::kPlan ? plan_ns_ : vendor_ns_;
  }

  const std::shared_ptr<const CudaDriver> driver_;
  const InContext in_context_;
  std::array<Lap, kLaps> laps_;
  std::atomic<bool> has_failed_{false};
  std::vector<double> plan_ns_, vendor_ns_;  // of the stretch that has begun
};

}  // namespace triode::host
