// SPDX-License-Identifier: Apache-2.0
// Streams, capture and several devices of the stand-in driver.
#include <cuda.h>
#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "tests/virtual_gpu/driver_fixture.h"

namespace triode::vgpu {
namespace {

class VirtualStreams : public VirtualDriver {
 protected:
  void SetUp() override {
    VirtualDriver::SetUp();
    ASSERT_EQ(TRIODE_DRIVER(cuStreamCreate)(&stream_, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    ASSERT_EQ(TRIODE_DRIVER(cuMemAlloc)(&memory_, 16), CUDA_SUCCESS);
  }
  CUresult fill(unsigned char value) {
    return TRIODE_DRIVER(cuMemsetD8Async)(memory_, value, 16, stream_);
  }
  unsigned char first_byte() {
    unsigned char byte = 0;
    EXPECT_EQ(TRIODE_DRIVER(cuMemcpyDtoH)(&byte, memory_, 1), CUDA_SUCCESS);
    return byte;
  }
  void begin_capture(CUstreamCaptureMode mode) {
    ASSERT_EQ(TRIODE_DRIVER(cuStreamBeginCapture)(stream_, mode), CUDA_SUCCESS);
  }
  CUstreamCaptureStatus capture_status() {
    auto status = CU_STREAM_CAPTURE_STATUS_NONE;
    EXPECT_EQ(TRIODE_DRIVER(cuStreamIsCapturing)(stream_, &status), CUDA_SUCCESS);
    return status;
  }
  // Allocates on a thread of its own, in that capture mode.
  CUresult allocate_elsewhere(CUstreamCaptureMode mode) {
    CUresult result = CUDA_ERROR_UNKNOWN;
    std::thread([&] {
      use_device(0);
      TRIODE_DRIVER(cuThreadExchangeStreamCaptureMode)(&mode);
      CUdeviceptr address = 0;
      result = TRIODE_DRIVER(cuMemAlloc)(&address, 16);
    }).join();
    return result;
  }

  CUstream stream_ = nullptr;
  CUdeviceptr memory_ = 0;
};

TEST_F(VirtualStreams, DoWhatWasCapturedAtEachLaunchOfTheGraphAndNotBefore) {
  ASSERT_EQ(fill(1), CUDA_SUCCESS);
  begin_capture(CU_STREAM_CAPTURE_MODE_GLOBAL);
  EXPECT_EQ(capture_status(), CU_STREAM_CAPTURE_STATUS_ACTIVE);
  ASSERT_EQ(fill(2), CUDA_SUCCESS);
  CUgraph graph = nullptr;
  ASSERT_EQ(TRIODE_DRIVER(cuStreamEndCapture)(stream_, &graph), CUDA_SUCCESS);
  EXPECT_EQ(first_byte(), 1);
  CUgraphExec executable = nullptr;
  ASSERT_EQ(TRIODE_DRIVER(cuGraphInstantiate)(&executable, graph, 0), CUDA_SUCCESS);
  ASSERT_EQ(TRIODE_DRIVER(cuGraphLaunch)(executable, stream_), CUDA_SUCCESS);
  EXPECT_EQ(first_byte(), 2);
}

TEST_F(VirtualStreams, RefuseUnsafeCallsOfAnyThreadWhileCapturedGlobally) {
  begin_capture(CU_STREAM_CAPTURE_MODE_GLOBAL);
  EXPECT_EQ(allocate_elsewhere(CU_STREAM_CAPTURE_MODE_GLOBAL),
            CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(capture_status(), CU_STREAM_CAPTURE_STATUS_INVALIDATED);
  CUgraph graph = nullptr;
  EXPECT_EQ(TRIODE_DRIVER(cuStreamEndCapture)(stream_, &graph),
            CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

TEST_F(VirtualStreams, LetAThreadInRelaxedModeDoWhatItWants) {
  begin_capture(CU_STREAM_CAPTURE_MODE_GLOBAL);
  EXPECT_EQ(allocate_elsewhere(CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  EXPECT_EQ(capture_status(), CU_STREAM_CAPTURE_STATUS_ACTIVE);
}

TEST_F(VirtualStreams, CapturedForTheirThreadAloneDoNotCareForOthers) {
  begin_capture(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  EXPECT_EQ(allocate_elsewhere(CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
  CUdeviceptr address = 0;
  EXPECT_EQ(TRIODE_DRIVER(cuMemAlloc)(&address, 16), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}

TEST_F(VirtualStreams, DoNotSayWhenACapturedEventWas) {
  CUevent event = nullptr;
  ASSERT_EQ(TRIODE_DRIVER(cuEventCreate)(&event, 0), CUDA_SUCCESS);
  begin_capture(CU_STREAM_CAPTURE_MODE_RELAXED);
  ASSERT_EQ(TRIODE_DRIVER(cuEventRecord)(event, stream_), CUDA_SUCCESS);
  EXPECT_EQ(TRIODE_DRIVER(cuEventQuery)(event), CUDA_ERROR_CAPTURED_EVENT);
}

TEST_F(VirtualStreams, AreSpoiltByWhoAsksForAnEventMeanwhile) {
  CUevent event = nullptr;
  ASSERT_EQ(TRIODE_DRIVER(cuEventCreate)(&event, 0), CUDA_SUCCESS);
  ASSERT_EQ(TRIODE_DRIVER(cuEventRecord)(event, stream_), CUDA_SUCCESS);
  EXPECT_EQ(TRIODE_DRIVER(cuEventQuery)(event), CUDA_SUCCESS);
  begin_capture(CU_STREAM_CAPTURE_MODE_GLOBAL);
  EXPECT_EQ(TRIODE_DRIVER(cuEventQuery)(event), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(capture_status(), CU_STREAM_CAPTURE_STATUS_INVALIDATED);
}

TEST_F(VirtualStreams, TellThatTheDefaultStreamWouldWaitForACapturedOne) {
  const auto ask = [] {
    auto status = CU_STREAM_CAPTURE_STATUS_NONE;
    return TRIODE_DRIVER(cuStreamIsCapturing)(nullptr, &status);
  };
  begin_capture(CU_STREAM_CAPTURE_MODE_GLOBAL);
  EXPECT_EQ(ask(), CUDA_SUCCESS) << "not for one that is not blocking";
  CUstream blocking = nullptr;
  ASSERT_EQ(TRIODE_DRIVER(cuStreamCreate)(&blocking, CU_STREAM_DEFAULT), CUDA_SUCCESS);
  ASSERT_EQ(TRIODE_DRIVER(cuStreamBeginCapture)(blocking, CU_STREAM_CAPTURE_MODE_GLOBAL),
            CUDA_SUCCESS);
  EXPECT_EQ(ask(), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  CUgraph graph = nullptr;
  EXPECT_EQ(TRIODE_DRIVER(cuStreamEndCapture)(blocking, &graph), CUDA_SUCCESS) << "not spoilt";
}

TEST_F(VirtualStreams, HaveThePriorityTheyWereMadeWith) {
  CUstream urgent = nullptr;
  ASSERT_EQ(TRIODE_DRIVER(cuStreamCreateWithPriority)(&urgent, 0, -5), CUDA_SUCCESS);
  int priority = 0;
  ASSERT_EQ(TRIODE_DRIVER(cuStreamGetPriority)(urgent, &priority), CUDA_SUCCESS);
  EXPECT_EQ(priority, -5);
}

TEST_F(VirtualDriver, LosesOneDeviceAndNotTheOther) {
  CUdeviceptr out = 0;
  EXPECT_EQ(launch("st.global.u32 [%rd0+256], 1;", &out), CUDA_SUCCESS);
  EXPECT_EQ(TRIODE_DRIVER(cuCtxSynchronize)(), CUDA_ERROR_ILLEGAL_ADDRESS);
  use_device(1);
  EXPECT_EQ(TRIODE_DRIVER(cuCtxSynchronize)(), CUDA_SUCCESS);
}

TEST_F(VirtualDriver, RunsAFunctionInItsOwnContextAlone) {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  ASSERT_EQ(load(snippet_ptx(""), &module), CUDA_SUCCESS);
  ASSERT_EQ(TRIODE_DRIVER(cuModuleGetFunction)(&function, module, "test"), CUDA_SUCCESS);
  use_device(1);
  std::array<uint64_t, 2> values = {};
  std::array<void*, 2> parameters = {&values[0], &values[1]};
  EXPECT_EQ(TRIODE_DRIVER(cuLaunchKernel)(function, 1, 1, 1, 32, 1, 1, 0, nullptr,
                                          parameters.data(), nullptr),
            CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(VirtualDriver, GivesEachContextANumberThatNoLaterOneHas) {
  CUcontext context = nullptr;
  ASSERT_EQ(TRIODE_DRIVER(cuCtxGetCurrent)(&context), CUDA_SUCCESS);
  unsigned long long before = 0, after = 0;
  ASSERT_EQ(TRIODE_DRIVER(cuCtxGetId)(context, &before), CUDA_SUCCESS);
  ASSERT_EQ(TRIODE_DRIVER(cuDevicePrimaryCtxReset)(0), CUDA_SUCCESS);
  ASSERT_EQ(TRIODE_DRIVER(cuCtxGetId)(context, &after), CUDA_SUCCESS);
  EXPECT_NE(before, after);
}

TEST_F(VirtualDriver, WantsAContext) {
  ASSERT_EQ(TRIODE_DRIVER(cuCtxSetCurrent)(nullptr), CUDA_SUCCESS);
  CUdeviceptr address = 0;
  EXPECT_EQ(TRIODE_DRIVER(cuMemAlloc)(&address, 16), CUDA_ERROR_INVALID_CONTEXT);
}

}  // namespace
}  // namespace triode::vgpu
