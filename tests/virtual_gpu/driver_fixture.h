// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <string>

#include "tests/virtual_gpu/snippet.h"

// The name as the header's macros leave it: cuMemAlloc becomes "cuMemAlloc_v2".
#define TRIODE_QUOTE(name) #name
#define TRIODE_DRIVER(name) reinterpret_cast<decltype(&name)>(driver_symbol(TRIODE_QUOTE(name)))

namespace triode::vgpu {

// A function of the stand-in driver, as programs find it.
inline void* driver_symbol(const char* name) {
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
    setenv("TRIODE_VGPU_DEVICES", "2", 1);
    ASSERT_EQ(TRIODE_DRIVER(cuInit)(0), CUDA_SUCCESS);
    use_device(0);
  }
  void TearDown() override {
    unsetenv("TRIODE_VGPU_FAULTS");
    for (const int device : {0, 1}) TRIODE_DRIVER(cuDevicePrimaryCtxReset)(device);
  }

  void use_device(CUdevice device) {
    CUcontext context = nullptr;
    ASSERT_EQ(TRIODE_DRIVER(cuDevicePrimaryCtxRetain)(&context, device), CUDA_SUCCESS);
    ASSERT_EQ(TRIODE_DRIVER(cuCtxSetCurrent)(context), CUDA_SUCCESS);
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

}  // namespace triode::vgpu
