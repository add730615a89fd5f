// SPDX-License-Identifier: Apache-2.0
// The stand-in libcuda.so.1, loaded and called as a program loads and calls the driver.
#include <cuda.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <string>

#include "tests/virtual_gpu/driver_fixture.h"
#include "tests/virtual_gpu/snippet.h"

namespace triode::vgpu {
namespace {

using ::testing::HasSubstr;
using ::testing::KilledBySignal;

TEST_F(VirtualDriver, SaysThatItIsATestInstrument) {
  std::array<char, 64> name = {};
  ASSERT_EQ(TRIODE_DRIVER(cuDeviceGetName)(name.data(), 64, 0), CUDA_SUCCESS);
  EXPECT_THAT(name.data(), HasSubstr("test instrument"));
}

TEST_F(VirtualDriver, RunsAKernelAndTimesItTheSameEachTime) {
  std::array<float, 2> times = {};
  for (float& time : times) {
    CUevent begin = nullptr;
    CUevent end = nullptr;
    ASSERT_EQ(TRIODE_DRIVER(cuEventCreate)(&begin, 0), CUDA_SUCCESS);
    ASSERT_EQ(TRIODE_DRIVER(cuEventCreate)(&end, 0), CUDA_SUCCESS);
    ASSERT_EQ(TRIODE_DRIVER(cuEventRecord)(begin, nullptr), CUDA_SUCCESS);
    CUdeviceptr out = 0;
    ASSERT_EQ(launch("cvt.u64.u32 %rd1, %r0;", &out), CUDA_SUCCESS);
    ASSERT_EQ(TRIODE_DRIVER(cuEventRecord)(end, nullptr), CUDA_SUCCESS);
    ASSERT_EQ(TRIODE_DRIVER(cuEventElapsedTime)(&time, begin, end), CUDA_SUCCESS);
    std::array<uint64_t, 32> values = {};
    ASSERT_EQ(TRIODE_DRIVER(cuMemcpyDtoH)(values.data(), out, sizeof values), CUDA_SUCCESS);
    EXPECT_EQ(values[31], 31u);
  }
  EXPECT_GT(times[0], 0);
  EXPECT_FLOAT_EQ(times[0], times[1]);
}

TEST_F(VirtualDriver, GivesTheLineOfPtxThatItRefuses) {
  CUmodule module = nullptr;
  EXPECT_EQ(load(snippet_ptx("\nnonsense.u32 %r1;"), &module), CUDA_ERROR_INVALID_PTX);
  EXPECT_THAT(log_.data(), HasSubstr("ptx line 11: nonsense.u32"));
}

TEST_F(VirtualDriver, RunsNoCubins) {
  CUmodule module = nullptr;
  EXPECT_EQ(load("\177ELF...", &module), CUDA_ERROR_NO_BINARY_FOR_GPU);
}

TEST_F(VirtualDriver, IsLostAfterAFaultOfAKernel) {
  CUdeviceptr out = 0;
  EXPECT_EQ(launch("st.global.u32 [%rd0+256], 1;", &out), CUDA_SUCCESS);
  EXPECT_EQ(TRIODE_DRIVER(cuCtxSynchronize)(), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(TRIODE_DRIVER(cuMemAlloc)(&out, 16), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(VirtualDriver, RefusesMoreSharedMemoryThanTheFunctionAskedFor) {
  CUdeviceptr out = 0;
  EXPECT_EQ(launch("", &out, 49 << 10), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(TRIODE_DRIVER(cuCtxSynchronize)(), CUDA_SUCCESS);
}

TEST_F(VirtualDriver, HasAnEndOfItsMemory) {
  CUdeviceptr address = 0;
  EXPECT_EQ(TRIODE_DRIVER(cuMemAlloc)(&address, size_t{1} << 40), CUDA_ERROR_OUT_OF_MEMORY);
}

TEST_F(VirtualDriver, RefusesHandlesItDidNotGive) {
  CUevent_st* const stranger = reinterpret_cast<CUevent>(0x10);
  EXPECT_EQ(TRIODE_DRIVER(cuEventRecord)(stranger, nullptr), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(TRIODE_DRIVER(cuMemFree)(0x10), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(VirtualDriver, AnswersAsTheEnvironmentAsks) {
  setenv("TRIODE_VGPU_FAULTS", "cuMemAlloc=2@2", 1);
  CUdeviceptr address = 0;
  EXPECT_EQ(TRIODE_DRIVER(cuMemAlloc)(&address, 16), CUDA_SUCCESS);
  EXPECT_EQ(TRIODE_DRIVER(cuMemAlloc)(&address, 16), CUDA_ERROR_OUT_OF_MEMORY);
}

using VirtualDriverDeathTest = VirtualDriver;

// Calls an entry point that hangs, under an alarm that ends the process soon after.
[[noreturn]] void call_what_hangs() {
  setenv("TRIODE_VGPU_FAULTS", "cuCtxSynchronize=hang", 1);
  signal(SIGALRM, SIG_DFL);
  itimerval soon = {};
  soon.it_value.tv_usec = 50000;
  setitimer(ITIMER_REAL, &soon, nullptr);
  TRIODE_DRIVER(cuCtxSynchronize)();
  _exit(0);
}

TEST_F(VirtualDriverDeathTest, HangsAsTheEnvironmentAsks) {
  EXPECT_EXIT(call_what_hangs(), KilledBySignal(SIGALRM), "");
}

TEST_F(VirtualDriverDeathTest, RefusesWordsItDoesNotUnderstand) {
  EXPECT_DEATH(
      {
        setenv("TRIODE_VGPU_FAULTS", "cuCtxSynchronize=often", 1);
        TRIODE_DRIVER(cuCtxSynchronize)();
      },
      "cuCtxSynchronize=often");
}

}  // namespace
}  // namespace triode::vgpu
