// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace triode::host {

// How a symbol takes its arguments.
enum class Dialect : uint8_t {
  kCblasGemm,
  kFortranGemm,
  kCblasGemv,
  kFortranGemv,
  kCblasGemmBatch,         // groups of matrices, each by an array of pointers
  kCblasGemmBatchStrided,  // matrices at fixed distances
  kCublas,                 // on a GPU, column-major, batches at fixed distances
};

constexpr bool is_gemv(Dialect dialect) {
  return dialect == Dialect::kCblasGemv || dialect == Dialect::kFortranGemv;
}

// Every symbol of a BLAS that is intercepted, and all that is known about it: name, dialect, type
// of its elements, type of its sizes. The entry points, the search for originals and the exports
// are made from this list.
//
// Reference names with 32-bit sizes; numpy's and scipy's wheels, which add scipy_ and, with 64-bit
// sizes, a suffix; OpenBLAS's and Julia's 64-bit builds, which add the suffix alone.
#define TRIODE_BLAS_GEMM_AND_GEMV(prefix, suffix, fortran_suffix, Int)             \
  X(prefix##cblas_sgemm##suffix, kCblasGemm, float, Int)                           \
  X(prefix##cblas_dgemm##suffix, kCblasGemm, double, Int)                          \
  X(prefix##sgemm##fortran_suffix, kFortranGemm, float, Int)                       \
  X(prefix##dgemm##fortran_suffix, kFortranGemm, double, Int)                      \
  X(prefix##cblas_sgemv##suffix, kCblasGemv, float, Int)                           \
  X(prefix##cblas_dgemv##suffix, kCblasGemv, double, Int)                          \
  X(prefix##sgemv##fortran_suffix, kFortranGemv, float, Int)                       \
  X(prefix##dgemv##fortran_suffix, kFortranGemv, double, Int)                      \
  X(prefix##cblas_sgemm_batch##suffix, kCblasGemmBatch, float, Int)                \
  X(prefix##cblas_dgemm_batch##suffix, kCblasGemmBatch, double, Int)               \
  X(prefix##cblas_sgemm_batch_strided##suffix, kCblasGemmBatchStrided, float, Int) \
  X(prefix##cblas_dgemm_batch_strided##suffix, kCblasGemmBatchStrided, double, Int)

// The use defines X(symbol, dialect, Scalar, Int).
#define TRIODE_BLAS_SYMBOLS                             \
  TRIODE_BLAS_GEMM_AND_GEMV(, , _, int32_t)             \
  TRIODE_BLAS_GEMM_AND_GEMV(scipy_, , _, int32_t)       \
  TRIODE_BLAS_GEMM_AND_GEMV(scipy_, 64_, _64_, int64_t) \
  TRIODE_BLAS_GEMM_AND_GEMV(, 64_, _64_, int64_t)

// Those of cuBLAS; the use defines X(symbol). Their types are in the call's key (gpu_flavour.h).
#define TRIODE_CUBLAS_SYMBOLS   \
  X(cublasGemmEx)               \
  X(cublasSgemm_v2)             \
  X(cublasDgemm_v2)             \
  X(cublasHgemm)                \
  X(cublasSgemmEx)              \
  X(cublasGemmStridedBatchedEx) \
  X(cublasSgemmStridedBatched)  \
  X(cublasDgemmStridedBatched)  \
  X(cublasHgemmStridedBatched)  \
  X(cublasLtMatmul)

enum class Symbol : uint8_t {
#define X(symbol, dialect, Scalar, Int) k_##symbol,
  TRIODE_BLAS_SYMBOLS
#undef X
      kBlasCount,
  kLastOfBlas = kBlasCount - 1,
#define X(symbol) k_##symbol,
  TRIODE_CUBLAS_SYMBOLS
#undef X
      kCount
};

constexpr int kBlasSymbolCount = static_cast<int>(Symbol::kBlasCount);  // the first ones
constexpr int kSymbolCount = static_cast<int>(Symbol::kCount);

struct SymbolTraits {
  std::string_view name;
  Dialect dialect;
  bool is_double;
  bool has_wide_sizes;  // 64-bit

  bool is_on_gpu() const { return dialect == Dialect::kCublas; }
};

const SymbolTraits& traits_of(Symbol symbol);

}  // namespace triode::host
