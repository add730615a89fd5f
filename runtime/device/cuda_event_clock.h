// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>

#include "core/clock.h"
#include "core/status.h"
#include "runtime/device/cuda_driver.h"

namespace triode {

// The time on a stream of a GPU: now() waits for all that was enqueued there, and says when that
// was done, by the GPU's own clock. So what lies between two looks is what the GPU took for what
// was enqueued between them. One thread, in the stream's context.
//
// After an error the time stands still, and status() says why.
class CudaEventClock final : public Clock {
 public:
  static Result<std::unique_ptr<CudaEventClock>> create(std::shared_ptr<const CudaDriver> driver,
                                                        CUstream stream);
  ~CudaEventClock() override;

  std::chrono::nanoseconds now() const override;
  const Status& status() const { return status_; }

 private:
  CudaEventClock(std::shared_ptr<const CudaDriver> driver, CUstream stream)
      : driver_(std::move(driver)), stream_(stream) {}
  Result<double> advance() const;

  const std::shared_ptr<const CudaDriver> driver_;
  CUstream const stream_;
  // An event's distance is a float of milliseconds: precise only while it is short, so each is
  // taken from the one before.
  mutable CUevent before_ = nullptr, latest_ = nullptr;
  mutable double elapsed_ms_ = 0;
  mutable Status status_;
};

}  // namespace triode
