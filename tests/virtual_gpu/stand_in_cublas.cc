// SPDX-License-Identifier: Apache-2.0
// A test instrument: stands in for NVIDIA's libcublas.so.13 on the virtual GPU. It computes the
// products itself, one element after another; nothing of it says how fast or how exact cuBLAS is.
#include <cublas_v2.h>

#include <cstdlib>
#include <cstring>

#include "runtime/device/small_floats.h"
#include "tests/virtual_gpu/stand_in_product.h"

struct cublasContext {
  CUstream stream = nullptr;
  cublasPointerMode_t pointers = CUBLAS_POINTER_MODE_HOST;
  cublasMath_t math = CUBLAS_DEFAULT_MATH;
  uint64_t calls = 0;  // of products
};

namespace {

using triode::vgpu::VendorProduct;

double scalar(const void* from, cublasComputeType_t compute) {
  if (compute == CUBLAS_COMPUTE_64F) {
    double value;
    std::memcpy(&value, from, sizeof value);
    return value;
  }
  if (compute == CUBLAS_COMPUTE_16F) {
    uint16_t bits;
    std::memcpy(&bits, from, sizeof bits);
    return triode::f16_to_float(bits);
  }
  float value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

uint64_t address(const void* pointer) {
  return reinterpret_cast<uint64_t>(pointer);
}

cublasStatus_t status_of(CUresult result) {
  if (result == CUDA_SUCCESS) return CUBLAS_STATUS_SUCCESS;
  return result == CUDA_ERROR_INVALID_VALUE ? CUBLAS_STATUS_NOT_SUPPORTED
                                            : CUBLAS_STATUS_EXECUTION_FAILED;
}

struct Call {
  cublasHandle_t handle;
  cublasOperation_t ta, tb;
  int m, n, k;
  const void* alpha;
  const void* a;
  cudaDataType a_type;
  int lda;
  long long a_stride;
  const void* b;
  cudaDataType b_type;
  int ldb;
  long long b_stride;
  const void* beta;
  void* c;
  cudaDataType c_type;
  int ldc;
  long long c_stride;
  int batch;
  cublasComputeType_t compute;
};

cublasStatus_t multiply(const Call& x) {
  if (x.handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (x.m < 0 || x.n < 0 || x.k < 0 || x.batch < 0) return CUBLAS_STATUS_INVALID_VALUE;
  // Scalars in the device's memory would have to be read in the stream's order.
  if (x.handle->pointers != CUBLAS_POINTER_MODE_HOST) return CUBLAS_STATUS_NOT_SUPPORTED;
  ++x.handle->calls;
  VendorProduct p;
  p.a_transposed = x.ta != CUBLAS_OP_N;
  p.b_transposed = x.tb != CUBLAS_OP_N;
  p.m = x.m, p.n = x.n, p.k = x.k;
  p.a_type = x.a_type, p.b_type = x.b_type, p.c_type = x.c_type;
  p.a = address(x.a), p.b = address(x.b), p.c = p.d = address(x.c);
  p.lda = x.lda, p.ldb = x.ldb, p.ldc = p.ldd = x.ldc;
  p.batch = x.batch;
  p.a_stride = x.a_stride, p.b_stride = x.b_stride, p.c_stride = p.d_stride = x.c_stride;
  p.alpha = scalar(x.alpha, x.compute), p.beta = scalar(x.beta, x.compute);
  return status_of(enqueue_product(p, x.handle->stream));
}

}  // namespace

extern "C" {
#pragma GCC visibility push(default)

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  CUcontext context = nullptr;
  const bool has_context = cuCtxGetCurrent(&context) == CUDA_SUCCESS && context != nullptr;
  if (!has_context) return CUBLAS_STATUS_NOT_INITIALIZED;
  *handle = new cublasContext;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t* stream) {
  *stream = handle->stream;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode) {
  handle->pointers = mode;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t* mode) {
  *mode = handle->pointers;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
  handle->math = mode;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode) {
  *mode = handle->math;
  return CUBLAS_STATUS_SUCCESS;
}

// Which no cuBLAS has: products that this library was asked for.
uint64_t cublasStandInCalls(cublasHandle_t handle) {
  return handle->calls;
}

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb,
                            int m, int n, int k, const void* alpha, const void* a,
                            cudaDataType a_type, int lda, const void* b, cudaDataType b_type,
                            int ldb, const void* beta, void* c, cudaDataType c_type, int ldc,
                            cublasComputeType_t compute, cublasGemmAlgo_t) {
  return multiply({handle, ta,     tb,  m, n,    k, alpha,  a,   a_type, lda, 0,
                   b,      b_type, ldb, 0, beta, c, c_type, ldc, 0,      1,   compute});
}

cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb,
                             int m, int n, int k, const float* alpha, const void* a,
                             cudaDataType a_type, int lda, const void* b, cudaDataType b_type,
                             int ldb, const float* beta, void* c, cudaDataType c_type, int ldc) {
  return multiply({handle, ta,     tb,  m, n,    k, alpha,  a,   a_type, lda, 0,
                   b,      b_type, ldb, 0, beta, c, c_type, ldc, 0,      1,   CUBLAS_COMPUTE_32F});
}

cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t ta,
                                          cublasOperation_t tb, int m, int n, int k,
                                          const void* alpha, const void* a, cudaDataType a_type,
                                          int lda, long long a_stride, const void* b,
                                          cudaDataType b_type, int ldb, long long b_stride,
                                          const void* beta, void* c, cudaDataType c_type, int ldc,
                                          long long c_stride, int batch,
                                          cublasComputeType_t compute, cublasGemmAlgo_t) {
  return multiply({handle, ta,     tb,  m,        n,    k, alpha,  a,   a_type,   lda,   a_stride,
                   b,      b_type, ldb, b_stride, beta, c, c_type, ldc, c_stride, batch, compute});
}

#define TRIODE_GEMM(name, batched, Scalar, type, compute)                                          \
  cublasStatus_t name(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m,    \
                      int n, int k, const Scalar* alpha, const Scalar* a, int lda,                 \
                      const Scalar* b, int ldb, const Scalar* beta, Scalar* c, int ldc) {          \
    return multiply({handle, ta,   tb,  m, n,    k, alpha, a,   type, lda, 0,                      \
                     b,      type, ldb, 0, beta, c, type,  ldc, 0,    1,   compute});              \
  }                                                                                                \
  cublasStatus_t batched(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, \
                         int n, int k, const Scalar* alpha, const Scalar* a, int lda,              \
                         long long a_stride, const Scalar* b, int ldb, long long b_stride,         \
                         const Scalar* beta, Scalar* c, int ldc, long long c_stride, int batch) {  \
    return multiply({handle, ta,   tb,  m,        n,    k, alpha, a,   type,     lda,   a_stride,  \
                     b,      type, ldb, b_stride, beta, c, type,  ldc, c_stride, batch, compute}); \
  }
TRIODE_GEMM(cublasSgemm_v2, cublasSgemmStridedBatched, float, CUDA_R_32F, CUBLAS_COMPUTE_32F)
TRIODE_GEMM(cublasDgemm_v2, cublasDgemmStridedBatched, double, CUDA_R_64F, CUBLAS_COMPUTE_64F)
TRIODE_GEMM(cublasHgemm, cublasHgemmStridedBatched, __half, CUDA_R_16F, CUBLAS_COMPUTE_16F)

#pragma GCC visibility pop
}
