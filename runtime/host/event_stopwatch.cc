// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/event_stopwatch.h"

#include <algorithm>
#include <utility>

namespace triode::host {
namespace {

// One that waited for its neighbours is left aside so, as long as most did not.
double median_of(std::vector<double>& times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

}  // namespace

Status EventStopwatch::Lap::make_events(const CudaDriver& driver) {
  driver_ = &driver;
  for (CUevent* const event : {&begin_, &end_}) {
    TRIODE_TRY(driver.check(driver.cuEventCreate(event, CU_EVENT_DEFAULT), "making an event"));
  }
  return {};
}

bool EventStopwatch::Lap::try_begin(Answerer answerer, CUstream stream) noexcept {
  State free = State::kFree;
  if (!state_.compare_exchange_strong(free, State::kTaken, std::memory_order_acquire)) return false;
  answerer_ = answerer;
  stream_ = stream;
  if (driver_->cuEventRecord(begin_, stream) == CUDA_SUCCESS) return true;
  enter(State::kFree);
  return false;
}

void EventStopwatch::Lap::end(bool counts) noexcept {
  const bool is_recorded = counts && driver_->cuEventRecord(end_, stream_) == CUDA_SUCCESS;
  enter(is_recorded ? State::kWaiting : State::kFree);
}

CUresult EventStopwatch::Lap::read(double& ns) noexcept {
  CUresult result = driver_->cuEventQuery(end_);
  if (result == CUDA_ERROR_NOT_READY) return result;
  float ms = 0;
  if (result == CUDA_SUCCESS) result = driver_->cuEventElapsedTime(&ms, begin_, end_);
  ns = double{ms} * 1e6;
  enter(State::kFree);
  return result;
}

Result<std::unique_ptr<EventStopwatch>> EventStopwatch::create(
    std::shared_ptr<const CudaDriver> driver, InContext in_context) {
  std::unique_ptr<EventStopwatch> made(
      new EventStopwatch(std::move(driver), std::move(in_context)));
  Status status = unavailable("no thread speaks to the GPU's driver any more");
  made->in_context_([&] {
    // Another thread's stream may be captured.
    const RelaxedCapture relaxed(*made->driver_);
    status = {};
    for (Lap& lap : made->laps_) {
      if (status.ok()) status = lap.make_events(*made->driver_);
    }
  });
  TRIODE_TRY(std::move(status));
  // So that reading laps allocates nothing.
  made->plan_ns_.reserve(kMostTimes);
  made->vendor_ns_.reserve(kMostTimes);
  return made;
}

bool EventStopwatch::may_time(void* stream) const noexcept {
  if (has_failed_.load(std::memory_order_relaxed)) return false;
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
  return driver_->cuStreamIsCapturing(static_cast<CUstream>(stream), &status) == CUDA_SUCCESS &&
         status == CU_STREAM_CAPTURE_STATUS_NONE;
}

GpuLap* EventStopwatch::begin(Answerer answerer, void* stream) noexcept {
  const auto begun = std::find_if(laps_.begin(), laps_.end(), [&](Lap& lap) {
    return lap.try_begin(answerer, static_cast<CUstream>(stream));
  });
  return begun == laps_.end() ? nullptr : &*begun;
}

void EventStopwatch::read_laps() noexcept {
  const RelaxedCapture relaxed(*driver_);
  for (Lap& lap : laps_) {
    if (!lap.is_waiting()) continue;
    std::vector<double>& times = times_of(lap.answerer());
    double ns = 0;
    const CUresult result = lap.read(ns);
    if (result == CUDA_ERROR_NOT_READY) continue;
    if (result != CUDA_SUCCESS) has_failed_.store(true, std::memory_order_relaxed);
    if (result == CUDA_SUCCESS && times.size() < kMostTimes) times.push_back(ns);
  }
}

std::optional<GpuStopwatch::Stretch> EventStopwatch::take_stretch(size_t fewest) {
  const auto waiting =
      std::count_if(laps_.begin(), laps_.end(), [](const Lap& lap) { return lap.is_waiting(); });
  if (waiting < kLapsPerReading || !in_context_([this] { read_laps(); })) return std::nullopt;
  if (plan_ns_.size() < fewest || vendor_ns_.size() < fewest) return std::nullopt;
  const Stretch stretch{median_of(plan_ns_), median_of(vendor_ns_)};
  plan_ns_.clear();
  vendor_ns_.clear();
  return stretch;
}

void EventStopwatch::restart() {
  plan_ns_.clear();
  vendor_ns_.clear();
  for (Lap& lap : laps_) {
    if (lap.is_waiting()) lap.forget();
  }
}

}  // namespace triode::host
