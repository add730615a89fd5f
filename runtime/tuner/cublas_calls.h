// SPDX-License-Identifier: Apache-2.0
// How calls of cuBLAS and cuBLASLt are made again from their key: for cublas_vendor.cc and
// cublas_lt_vendor.cc alone.
#pragma once

#include <cublas_v2.h>
#include <dlfcn.h>

#include <optional>
#include <string>
#include <utility>

#include "core/status.h"
#include "runtime/device/small_floats.h"
#include "runtime/host/gpu_flavour.h"
#include "runtime/host/loaded_object.h"
#include "runtime/host/raw_call.h"
#include "runtime/tuner/messages.h"

namespace triode::tuner {

inline Status check(cublasStatus_t status, const char* attempted) {
  if (status == CUBLAS_STATUS_SUCCESS) return {};
  return unavailable(std::string(attempted) + " failed with cuBLAS's status " +
                     std::to_string(status));
}

// A library of NVIDIA's, and its functions by name. Stays loaded.
class VendorLibrary {
 public:
  static Result<VendorLibrary> load(const VendorCall& call) {
    void* const handle = dlopen(call.library.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (handle == nullptr) {
      return unsupported("cannot load " + call.library + ": " + std::string(dlerror()));
    }
    VendorLibrary library(handle, call.library);
    void* const function = TRIODE_TRY(library.find(call.symbol.c_str()));
    const std::optional<host::LoadedObject> object = host::object_at(function);
    if (!object || object->identity() != call.identity) {
      return unsupported(call.library +
                         " is another library here than in the program; start the "
                         "program again");
    }
    return library;
  }

  Result<void*> find(const char* name) const {
    void* const found = dlsym(handle_, name);
    if (found == nullptr) return unsupported(path_ + " has no " + name);
    return found;
  }
  template <typename Function>
  Status bind(Function& function, const char* name) const {
    function = reinterpret_cast<Function>(TRIODE_TRY(find(name)));
    return {};
  }

 private:
  VendorLibrary(void* handle, std::string path) : handle_(handle), path_(std::move(path)) {}
  void* handle_;
  std::string path_;
};

inline cudaDataType data_type(DType type) {
  switch (type) {
    case DType::kF64:
      return CUDA_R_64F;
    case DType::kF16:
      return CUDA_R_16F;
    case DType::kBF16:
      return CUDA_R_16BF;
    default:
      return CUDA_R_32F;
  }
}

inline cublasComputeType_t compute_type(const host::GpuFlavour& flavour) {
  if (flavour.operands == DType::kF64) return CUBLAS_COMPUTE_64F;
  return flavour.operands == DType::kTF32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
}

// What the key says, in cuBLAS's terms.
struct CublasArguments {
  explicit CublasArguments(const VendorCall& call)
      : key(call.key),
        flavour(host::decode_gpu_flavour(host::call_traits::spelling(key.traits).layout)
                    .value_or(host::GpuFlavour{})),
        ta(static_cast<cublasOperation_t>(host::call_traits::spelling(key.traits).transpose_a)),
        tb(static_cast<cublasOperation_t>(host::call_traits::spelling(key.traits).transpose_b)),
        m(static_cast<int>(key.m)),
        n(static_cast<int>(key.n)),
        k(static_cast<int>(key.k)),
        lda(static_cast<int>(key.lda)),
        ldb(static_cast<int>(key.ldb)),
        ldc(static_cast<int>(key.ldc)),
        batch(static_cast<int>(key.batch)) {}

  host::CallKey key;
  host::GpuFlavour flavour;
  cublasOperation_t ta, tb;
  int m, n, k, lda, ldb, ldc, batch;
};

// A scalar in each type that it may be wanted in.
struct CublasScalars {
  explicit CublasScalars(double value)
      : f64(value), f32(static_cast<float>(value)), f16(float_to_f16(f32)) {}
  double f64;
  float f32;
  uint16_t f16;
  const void* as(cublasComputeType_t compute) const {
    if (compute == CUBLAS_COMPUTE_64F) return &f64;
    return compute == CUBLAS_COMPUTE_16F ? static_cast<const void*>(&f16) : &f32;
  }
};

}  // namespace triode::tuner
