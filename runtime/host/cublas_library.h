// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cublasLt.h>
#include <cublas_v2.h>

namespace triode::host {

struct Vendor;

// The functions by which a cuBLAS or cuBLASLt says what its handles and descriptors hold. Those
// that a library does not have are null. Immutable; lives until the process ends.
struct CublasLibrary {
  decltype(&::cublasGetStream_v2) get_stream = nullptr;
  decltype(&::cublasGetPointerMode_v2) get_pointer_mode = nullptr;
  decltype(&::cublasGetMathMode) get_math_mode = nullptr;
  decltype(&::cublasLtMatmulDescGetAttribute) describe_matmul = nullptr;
  decltype(&::cublasLtMatrixLayoutGetAttribute) describe_layout = nullptr;
};

// The functions in the vendor of that number, and in the libraries that it depends on; null for no
// vendor, and without memory. The first time it asks the loader; then it is a load.
const CublasLibrary* cublas_library_of(unsigned vendor_number) noexcept;

// What a handle holds that decides how a call is to be answered.
struct CublasState {
  cudaStream_t stream = nullptr;
  cublasMath_t math = CUBLAS_DEFAULT_MATH;
};

// False if the handle is none, or if its scalars lie in the GPU's memory.
bool read_handle(const CublasLibrary& library, cublasHandle_t handle, CublasState& state) noexcept;

}  // namespace triode::host
