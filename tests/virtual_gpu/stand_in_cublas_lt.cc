// SPDX-License-Identifier: Apache-2.0
// A test instrument: stands in for NVIDIA's libcublasLt.so.13 on the virtual GPU. Descriptors and
// layouts are those of the real library, which makes and reads them without a GPU; the product is
// computed here.
#include <cublasLt.h>
#include <dlfcn.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/virtual_gpu/stand_in_product.h"

namespace {

std::atomic<uint64_t> calls{0};

using triode::vgpu::VendorProduct;

// What the real library calls of its own must not reach the stand-in. The address sanitizer refuses
// to load a library so; its tests have the stand-in out of the real one's sight.
#ifdef __SANITIZE_ADDRESS__
constexpr int kLoading = RTLD_NOW | RTLD_LOCAL;
#else
constexpr int kLoading = RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND;
#endif

// The real library's function. Without one the test cannot be.
void* real_function(const char* name) {
  static void* const library = dlopen(TRIODE_REAL_CUBLAS_LT, kLoading);
  void* const found = library == nullptr ? nullptr : dlsym(library, name);
  if (found == nullptr) {
    std::fprintf(stderr, "stand-in cuBLASLt: %s: %s\n", name, dlerror());
    std::abort();
  }
  return found;
}

template <typename T>
T of_matmul(cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t which, T value) {
  size_t written = 0;
  T read{};
  const auto status = cublasLtMatmulDescGetAttribute(desc, which, &read, sizeof read, &written);
  return status == CUBLAS_STATUS_SUCCESS ? read : value;
}

template <typename T>
T of_layout(cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t which) {
  size_t written = 0;
  T read{};
  cublasLtMatrixLayoutGetAttribute(layout, which, &read, sizeof read, &written);
  return read;
}

double scalar(const void* from, int32_t type) {
  double wide;
  float narrow;
  if (type == CUDA_R_64F) return std::memcpy(&wide, from, sizeof wide), wide;
  return std::memcpy(&narrow, from, sizeof narrow), narrow;
}

uint64_t address(const void* pointer) {
  return reinterpret_cast<uint64_t>(pointer);
}

}  // namespace

// Handed on as they come.
#define TRIODE_HANDED_ON(name, parameters, arguments)                                   \
  cublasStatus_t name parameters {                                                      \
    static const auto real = reinterpret_cast<decltype(&::name)>(real_function(#name)); \
    return real arguments;                                                              \
  }

extern "C" {
#pragma GCC visibility push(default)

TRIODE_HANDED_ON(cublasLtMatmulDescCreate,
                 (cublasLtMatmulDesc_t * desc, cublasComputeType_t compute, cudaDataType_t scale),
                 (desc, compute, scale))
TRIODE_HANDED_ON(cublasLtMatmulDescDestroy, (cublasLtMatmulDesc_t desc), (desc))
TRIODE_HANDED_ON(cublasLtMatmulDescSetAttribute,
                 (cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t which,
                  const void* value, size_t size),
                 (desc, which, value, size))
TRIODE_HANDED_ON(cublasLtMatmulDescGetAttribute,
                 (cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t which, void* value,
                  size_t size, size_t* written),
                 (desc, which, value, size, written))
TRIODE_HANDED_ON(cublasLtMatrixLayoutCreate,
                 (cublasLtMatrixLayout_t * layout, cudaDataType type, uint64_t rows,
                  uint64_t columns, int64_t ld),
                 (layout, type, rows, columns, ld))
TRIODE_HANDED_ON(cublasLtMatrixLayoutDestroy, (cublasLtMatrixLayout_t layout), (layout))
TRIODE_HANDED_ON(cublasLtMatrixLayoutSetAttribute,
                 (cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t which,
                  const void* value, size_t size),
                 (layout, which, value, size))
TRIODE_HANDED_ON(cublasLtMatrixLayoutGetAttribute,
                 (cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t which, void* value,
                  size_t size, size_t* written),
                 (layout, which, value, size, written))

TRIODE_HANDED_ON(cublasLtMatmulPreferenceCreate, (cublasLtMatmulPreference_t * preference),
                 (preference))
TRIODE_HANDED_ON(cublasLtMatmulPreferenceDestroy, (cublasLtMatmulPreference_t preference),
                 (preference))
TRIODE_HANDED_ON(cublasLtMatmulPreferenceSetAttribute,
                 (cublasLtMatmulPreference_t preference, cublasLtMatmulPreferenceAttributes_t which,
                  const void* value, size_t size),
                 (preference, which, value, size))

// Two algorithms, of which the second is twice as fast.
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t,
                                              cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                              cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                              cublasLtMatmulPreference_t, int wanted,
                                              cublasLtMatmulHeuristicResult_t results[],
                                              int* count) {
  *count = wanted < 2 ? wanted : 2;
  for (int i = 0; i < *count; ++i) {
    results[i] = {};
    results[i].algo.data[0] = static_cast<uint64_t>(i);
    results[i].state = CUBLAS_STATUS_SUCCESS;
  }
  return CUBLAS_STATUS_SUCCESS;
}

// Which no cuBLASLt has: products that this library was asked for.
uint64_t cublasLtStandInCalls() {
  return calls;
}

// Nothing here needs one.
cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  static char any;
  *handle = reinterpret_cast<cublasLtHandle_t>(&any);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t) {
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t desc, const void* alpha,
                              const void* a, cublasLtMatrixLayout_t a_layout, const void* b,
                              cublasLtMatrixLayout_t b_layout, const void* beta, const void* c,
                              cublasLtMatrixLayout_t c_layout, void* d,
                              cublasLtMatrixLayout_t d_layout,
                              const cublasLtMatmulAlgo_t* algorithm, void*, size_t,
                              cudaStream_t stream) {
  ++calls;
  VendorProduct p;
  if (algorithm != nullptr && algorithm->data[0] == 1) p.times_faster = 2;
  p.a_transposed =
      of_matmul<int32_t>(desc, CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_N) != CUBLAS_OP_N;
  p.b_transposed =
      of_matmul<int32_t>(desc, CUBLASLT_MATMUL_DESC_TRANSB, CUBLAS_OP_N) != CUBLAS_OP_N;
  const auto number = [](cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t which) {
    return of_layout<int64_t>(layout, which);
  };
  const auto type = [](cublasLtMatrixLayout_t layout) {
    return static_cast<cudaDataType>(of_layout<int32_t>(layout, CUBLASLT_MATRIX_LAYOUT_TYPE));
  };
  const auto stride = [&](cublasLtMatrixLayout_t layout) {
    return number(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);
  };
  p.m = number(d_layout, CUBLASLT_MATRIX_LAYOUT_ROWS);
  p.n = number(d_layout, CUBLASLT_MATRIX_LAYOUT_COLS);
  p.k =
      number(a_layout, p.a_transposed ? CUBLASLT_MATRIX_LAYOUT_ROWS : CUBLASLT_MATRIX_LAYOUT_COLS);
  p.a_type = type(a_layout), p.b_type = type(b_layout), p.c_type = type(d_layout);
  p.a = address(a), p.b = address(b), p.c = address(c), p.d = address(d);
  p.lda = number(a_layout, CUBLASLT_MATRIX_LAYOUT_LD);
  p.ldb = number(b_layout, CUBLASLT_MATRIX_LAYOUT_LD);
  p.ldc = number(c_layout, CUBLASLT_MATRIX_LAYOUT_LD);
  p.ldd = number(d_layout, CUBLASLT_MATRIX_LAYOUT_LD);
  p.batch = of_layout<int32_t>(d_layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT);
  p.a_stride = stride(a_layout), p.b_stride = stride(b_layout);
  p.c_stride = stride(c_layout), p.d_stride = stride(d_layout);
  const auto scale = of_matmul<int32_t>(desc, CUBLASLT_MATMUL_DESC_SCALE_TYPE, CUDA_R_32F);
  p.alpha = scalar(alpha, scale), p.beta = scalar(beta, scale);
  const auto epilogue =
      of_matmul<int32_t>(desc, CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_DEFAULT);
  p.adds_bias = (epilogue & CUBLASLT_EPILOGUE_BIAS) != 0;
  p.has_relu = (epilogue & CUBLASLT_EPILOGUE_RELU) != 0;
  p.has_gelu = (epilogue & CUBLASLT_EPILOGUE_GELU) != 0;
  p.bias = address(of_matmul<void*>(desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, nullptr));
  const CUresult done = enqueue_product(p, stream);
  if (done == CUDA_SUCCESS) return CUBLAS_STATUS_SUCCESS;
  return done == CUDA_ERROR_INVALID_VALUE ? CUBLAS_STATUS_NOT_SUPPORTED
                                          : CUBLAS_STATUS_EXECUTION_FAILED;
}

#pragma GCC visibility pop
}
