// SPDX-License-Identifier: Apache-2.0
// On the stand-in driver, whose clock goes on by what is enqueued.
#include "runtime/host/event_stopwatch.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "tests/core/status_matchers.h"
#include "tests/virtual_gpu/driver_fixture.h"
#include "tests/virtual_gpu/enqueued_work.h"

namespace triode::host {
namespace {

using ::testing::HasSubstr;
using vgpu::driver_symbol;

class EventStopwatchTest : public vgpu::VirtualDriver {
 protected:
  void SetUp() override {
    VirtualDriver::SetUp();
    driver_ = std::move(CudaDriver::load(TRIODE_VIRTUAL_DRIVER)).take();
    ASSERT_EQ(TRIODE_DRIVER(cuStreamCreate)(&stream_, CU_STREAM_DEFAULT), CUDA_SUCCESS);
    stopwatch_ = std::move(make()).take();
  }

  Result<std::unique_ptr<EventStopwatch>> make() {
    return EventStopwatch::create(driver_, [this](const std::function<void()>& work) {
      if (has_thread_) work();
      return has_thread_;
    });
  }

  // A call that takes so many virtual milliseconds.
  void work(double ms) {
    const auto do_nothing = [](void*, TriodeVgpuMemory) { return CUDA_SUCCESS; };
    ASSERT_EQ(TRIODE_DRIVER(triode_vgpu_enqueue)(stream_, ms, do_nothing, nullptr, [](void*) {}),
              CUDA_SUCCESS);
  }
  bool time(Answerer answerer, double ms, bool counts = true) {
    GpuLap* const lap = stopwatch_->begin(answerer, stream_);
    if (lap == nullptr) return false;
    work(ms);
    lap->end(counts);
    return true;
  }
  // Two of each, which is enough to be read.
  bool time_four() {
    return time(Answerer::kPlan, 7) && time(Answerer::kVendor, 7) && time(Answerer::kPlan, 7) &&
           time(Answerer::kVendor, 7);
  }

  std::shared_ptr<const CudaDriver> driver_;
  CUstream stream_ = nullptr;
  bool has_thread_ = true;
  std::unique_ptr<EventStopwatch> stopwatch_;
};

TEST_F(EventStopwatchTest, TellsTheMedianOfBothOnceThereAreEnough) {
  for (const double ms : {1.0, 90.0, 2.0}) ASSERT_TRUE(time(Answerer::kPlan, ms));
  EXPECT_FALSE(stopwatch_->take_stretch(3).has_value());
  for (const double ms : {3.0, 4.0, 70.0}) ASSERT_TRUE(time(Answerer::kVendor, ms));
  const auto stretch = stopwatch_->take_stretch(3);
  ASSERT_TRUE(stretch.has_value());
  EXPECT_NEAR(stretch->plan_ns, 2e6, 1);
  EXPECT_NEAR(stretch->vendor_ns, 4e6, 1);
  ASSERT_TRUE(time(Answerer::kPlan, 1));
  EXPECT_FALSE(stopwatch_->take_stretch(3).has_value()) << "each is counted once";
}

TEST_F(EventStopwatchTest, LeavesOutWhatWasNotEnqueuedAndWhatWasBeforeARestart) {
  for (const Answerer answerer : {Answerer::kPlan, Answerer::kVendor}) {
    ASSERT_TRUE(time(answerer, 1));
    ASSERT_TRUE(time(answerer, 5, false));
  }
  stopwatch_->restart();
  for (const Answerer answerer : {Answerer::kPlan, Answerer::kVendor}) {
    ASSERT_TRUE(time(answerer, 7));
    ASSERT_TRUE(time(answerer, 7));
    ASSERT_TRUE(time(answerer, 5, false));
  }
  EXPECT_FALSE(stopwatch_->take_stretch(3).has_value());
  ASSERT_TRUE(time_four());
  const auto stretch = stopwatch_->take_stretch(3);
  ASSERT_TRUE(stretch.has_value());
  EXPECT_NEAR(stretch->plan_ns, 7e6, 1);
}

TEST_F(EventStopwatchTest, TimesNoMoreCallsThanItHasEventsFor) {
  setenv("TRIODE_VGPU_FAULTS", "cuEventQuery=600", 1);  // the GPU is far behind
  int timed = 0;
  while (timed < 1000 && time(Answerer::kPlan, 1)) {
    ++timed;
    EXPECT_FALSE(stopwatch_->take_stretch(1).has_value());
  }
  EXPECT_LT(timed, 1000);
  unsetenv("TRIODE_VGPU_FAULTS");  // it catches up
  EXPECT_FALSE(stopwatch_->take_stretch(1).has_value());
  ASSERT_TRUE(time_four());
  EXPECT_TRUE(stopwatch_->take_stretch(1).has_value());
}

TEST_F(EventStopwatchTest, TimesNothingOnACapturedStreamAndSpoilsNoCapture) {
  EXPECT_TRUE(stopwatch_->may_time(stream_));
  ASSERT_TRUE(time_four());
  ASSERT_EQ(TRIODE_DRIVER(cuStreamBeginCapture)(stream_, CU_STREAM_CAPTURE_MODE_GLOBAL),
            CUDA_SUCCESS);
  EXPECT_FALSE(stopwatch_->may_time(stream_));
  EXPECT_FALSE(stopwatch_->may_time(nullptr)) << "the default stream would wait for it";
  EXPECT_TRUE(stopwatch_->take_stretch(1).has_value()) << "read meanwhile";
  EXPECT_TRUE(make().ok()) << "made meanwhile";
  CUgraph graph = nullptr;
  EXPECT_EQ(TRIODE_DRIVER(cuStreamEndCapture)(stream_, &graph), CUDA_SUCCESS);
  EXPECT_TRUE(stopwatch_->may_time(stream_));
}

TEST_F(EventStopwatchTest, EndsWithTheFirstError) {
  ASSERT_TRUE(time_four());
  setenv("TRIODE_VGPU_FAULTS", "cuEventElapsedTime=400", 1);
  EXPECT_FALSE(stopwatch_->take_stretch(1).has_value());
  unsetenv("TRIODE_VGPU_FAULTS");
  EXPECT_FALSE(stopwatch_->may_time(stream_));
}

TEST_F(EventStopwatchTest, NeedsEventsAndAThread) {
  setenv("TRIODE_VGPU_FAULTS", "cuEventCreate=2", 1);
  EXPECT_THAT(make(), FailsWith(StatusCode::kResourceExhausted, HasSubstr("making an event")));
  unsetenv("TRIODE_VGPU_FAULTS");
  has_thread_ = false;
  EXPECT_THAT(make(), FailsWith(StatusCode::kUnavailable, HasSubstr("no thread")));
  ASSERT_TRUE(time_four());
  EXPECT_FALSE(stopwatch_->take_stretch(1).has_value());
}

}  // namespace
}  // namespace triode::host
