// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

#include <memory>
#include <string>

#include "core/status.h"

namespace triode {

// Every function of NVIDIA's driver that Triode calls. X(name) with the name as cuda.h has it.
#define TRIODE_CUDA_FUNCTIONS          \
  X(cuInit)                            \
  X(cuDriverGetVersion)                \
  X(cuGetErrorName)                    \
  X(cuDeviceGetCount)                  \
  X(cuDeviceGet)                       \
  X(cuDeviceGetName)                   \
  X(cuDeviceGetUuid)                   \
  X(cuDeviceTotalMem)                  \
  X(cuDeviceGetAttribute)              \
  X(cuDevicePrimaryCtxRetain)          \
  X(cuDevicePrimaryCtxRelease)         \
  X(cuDevicePrimaryCtxGetState)        \
  X(cuCtxSetCurrent)                   \
  X(cuCtxGetCurrent)                   \
  X(cuCtxGetDevice)                    \
  X(cuCtxGetStreamPriorityRange)       \
  X(cuModuleLoadDataEx)                \
  X(cuModuleUnload)                    \
  X(cuModuleGetFunction)               \
  X(cuFuncSetAttribute)                \
  X(cuLaunchKernel)                    \
  X(cuMemAlloc)                        \
  X(cuMemFree)                         \
  X(cuMemGetInfo)                      \
  X(cuMemcpyHtoD)                      \
  X(cuMemcpyDtoH)                      \
  X(cuMemsetD8Async)                   \
  X(cuStreamCreateWithPriority)        \
  X(cuStreamDestroy)                   \
  X(cuStreamSynchronize)               \
  X(cuStreamIsCapturing)               \
  X(cuThreadExchangeStreamCaptureMode) \
  X(cuEventCreate)                     \
  X(cuEventDestroy)                    \
  X(cuEventRecord)                     \
  X(cuEventQuery)                      \
  X(cuEventSynchronize)                \
  X(cuEventElapsedTime)

// NVIDIA's driver, libcuda.so.1, found at run time: Triode starts where there is none. Members bear
// the names of the functions they call. Immutable; the library stays loaded for the life of the
// process. Any thread may use it; what a call does to contexts and streams is the driver's
// business.
class CudaDriver {
 public:
  // Loads the library of that path, or by its name where the system finds it, and initialises it.
  // kNotFound if there is none; kUnavailable if it finds no GPU; kUnsupported for one that lacks a
  // function.
  static Result<std::shared_ptr<const CudaDriver>> load(const std::string& path = {});

  // The driver that this process has loaded already, and initialised itself; null if it has none.
  // Never loads one, so that a program without a GPU stays without a driver.
  static std::shared_ptr<const CudaDriver> find_loaded();

  // Ok for CUDA_SUCCESS; else what was tried and what the driver calls the error. Out of memory is
  // kResourceExhausted, others are kUnavailable.
  Status check(CUresult result, const char* attempted) const;

  // Of the file that was loaded, so that another process can load the same.
  const std::string& path() const { return path_; }

#define X(name) decltype(&::name) name = nullptr;
  TRIODE_CUDA_FUNCTIONS
#undef X
  // Null in drivers before CUDA 12: the number of a context, which no later one has.
  decltype(&::cuCtxGetId) cuCtxGetId = nullptr;

 private:
  static Result<std::shared_ptr<const CudaDriver>> from(void* library);

  std::string path_;
};

// While it lives, the calling thread may load modules and allocate although another thread's stream
// is captured.
class RelaxedCapture {
 public:
  explicit RelaxedCapture(const CudaDriver& driver) : driver_(driver) {
    driver_.cuThreadExchangeStreamCaptureMode(&mode_);
  }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;
  ~RelaxedCapture() { driver_.cuThreadExchangeStreamCaptureMode(&mode_); }

 private:
  const CudaDriver& driver_;
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

}  // namespace triode
