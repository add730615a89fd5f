// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cuda_event_clock.h"

#include <utility>

namespace triode {

Result<std::unique_ptr<CudaEventClock>> CudaEventClock::create(
    std::shared_ptr<const CudaDriver> driver, CUstream stream) {
  std::unique_ptr<CudaEventClock> clock(new CudaEventClock(std::move(driver), stream));
  for (CUevent* const event : {&clock->before_, &clock->latest_}) {
    TRIODE_TRY(clock->driver_->check(clock->driver_->cuEventCreate(event, CU_EVENT_DEFAULT),
                                     "making an event"));
  }
  TRIODE_TRY(clock->driver_->check(clock->driver_->cuEventRecord(clock->before_, stream),
                                   "recording an event"));
  return clock;
}

CudaEventClock::~CudaEventClock() {
  for (CUevent const event : {before_, latest_}) {
    if (event != nullptr) static_cast<void>(driver_->cuEventDestroy(event));
  }
}

Result<double> CudaEventClock::advance() const {
  TRIODE_TRY(driver_->check(driver_->cuEventRecord(latest_, stream_), "recording an event"));
  TRIODE_TRY(driver_->check(driver_->cuEventSynchronize(latest_), "waiting for the GPU"));
  float ms = 0;
  TRIODE_TRY(
      driver_->check(driver_->cuEventElapsedTime(&ms, before_, latest_), "reading an event"));
  std::swap(before_, latest_);
  return double{ms};
}

std::chrono::nanoseconds CudaEventClock::now() const {
  if (status_.ok()) {
    const Result<double> passed = advance();
    if (passed.ok()) elapsed_ms_ += *passed;
    if (!passed.ok()) status_ = passed.status();
  }
  return std::chrono::nanoseconds(static_cast<int64_t>(elapsed_ms_ * 1e6));
}

}  // namespace triode
