// SPDX-License-Identifier: Apache-2.0
// The stand-in libcuda.so.1, loaded and called as a program loads and calls the driver.
#include <cuda.h>
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <string>

#include "tests/virtual_gpu/snippet.h"

// The name as the header's macros leave it: cuMemAlloc becomes "cuMemAlloc_v2".
#define TRIODE_QUOTE(name) #name
#define TRIODE_DRIVER(name) reinterpret_cast<decltype(&name)>(driver_symbol(TRIODE_QUOTE(name)))

namespace triode::vgpu {
namespace {

using ::testing::HasSubstr;
using ::testing::KilledBySignal;

void* driver_symbol(const char* name) {
  static void* const handle = dlopen(TRIODE_VIRTUAL_DRIVER, RTLD_NOW | RTLD_LOCAL);
  void* symbol = handle == nullptr ? nullptr : dlsym(handle, name);
  if (symbol == nullptr) ADD_FAILURE() << name << ": " << dlerror();
  return symbol;
}

// A driver that has been initialised, and forgets everything after the test.
class VirtualDriver : public ::testing::Test {
 protected:
  void SetUp() override {
    unsetenv("TRIODE_VGPU_FAULTS");
    ASSERT_EQ(TRIODE_DRIVER(cuInit)(0), CUDA_SUCCESS);
  }
  void TearDown() override {
    unsetenv("TRIODE_VGPU_FAULTS");
    TRIODE_DRIVER(cuDevicePrimaryCtxReset)(0);
  }

  CUresult load(const std::string& text, CUmodule* module) {
    log_.fill('\0');
    std::array options = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    std::array<void*, 2> values = {log_.data(), reinterpret_cast<void*>(log_.size())};
    return TRIODE_DRIVER(cuModuleLoadDataEx)(module, text.c_str(), 2, options.data(),
                                             values.data());
  }

  // Launches a snippet for 32 threads that write to `out`, of 256 bytes.
  CUresult launch(const std::string& lines, CUdeviceptr* out, unsigned shared_bytes = 0) {
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    EXPECT_EQ(load(snippet_ptx(lines), &module), CUDA_SUCCESS) << log_.data();
    EXPECT_EQ(TRIODE_DRIVER(cuModuleGetFunction)(&function, module, "test"), CUDA_SUCCESS);
    EXPECT_EQ(TRIODE_DRIVER(cuMemAlloc)(out, 256), CUDA_SUCCESS);
    CUdeviceptr in = 0;
    std::array<void*, 2> parameters = {out, &in};
    return TRIODE_DRIVER(cuLaunchKernel)(function, 1, 1, 1, 32, 1, 1, shared_bytes, nullptr,
                                         parameters.data(), nullptr);
  }

  std::array<char, 512> log_ = {};
};

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
