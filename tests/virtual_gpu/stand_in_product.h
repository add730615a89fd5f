// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>
#include <library_types.h>

#include <cstdint>

namespace triode::vgpu {

// What the stand-in cuBLAS computes: d = epilogue(alpha * op(a) op(b) + beta * c), column-major, on
// the memory of the virtual device.
struct VendorProduct {
  bool a_transposed = false, b_transposed = false;
  int64_t m = 0, n = 0, k = 0;
  cudaDataType a_type = CUDA_R_32F, b_type = CUDA_R_32F, c_type = CUDA_R_32F;
  CUdeviceptr a = 0, b = 0, c = 0, d = 0;
  int64_t lda = 0, ldb = 0, ldc = 0, ldd = 0;
  int64_t batch = 1, a_stride = 0, b_stride = 0, c_stride = 0, d_stride = 0;
  double alpha = 1, beta = 0;
  bool adds_bias = false;
  CUdeviceptr bias = 0;  // m elements of c's type
  bool has_relu = false, has_gelu = false;
  int times_faster = 1;  // by the algorithm that the caller asks for
};

// Enqueues it. Takes a virtual time by its size, or TRIODE_VGPU_VENDOR_MS where that is set.
// CUDA_ERROR_INVALID_VALUE for types that it does not know.
CUresult enqueue_product(const VendorProduct& product, CUstream stream);

}  // namespace triode::vgpu
