// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cublasLt.h>
#include <cublas_v2.h>

#include <cstdint>
#include <optional>

#include "runtime/host/cublas_library.h"
#include "runtime/host/gpu_flavour.h"
#include "runtime/host/raw_call.h"

namespace triode::host {

// Type of the numbers that alpha and beta point to.
enum class CublasScalar : uint8_t { kF32, kF64, kF16 };

// What a call of cuBLAS multiplies, apart from sizes, pointers and scalars.
struct CublasMeaning {
  GpuFlavour flavour;
  CublasScalar scalar = CublasScalar::kF32;
};

// The meaning of these types; empty for what no kernel of ours does, or does otherwise: pedantic,
// emulated, integer, complex. So are sums in half floats and f32 that may be multiplied in 16 bits:
// the vendor is faster at that than at what a plan of the same key would have beaten. `math` is the
// handle's, and says whether f32 may be multiplied as tf32.
std::optional<CublasMeaning> meaning_of_types(cudaDataType a, cudaDataType b, cudaDataType c,
                                              cublasComputeType_t compute, cublasMath_t math);

// One matmul, as far as all of cuBLAS's functions have it.
struct CublasCall {
  CublasMeaning meaning;
  cublasOperation_t transpose_a, transpose_b;
  int64_t m, n, k;
  const void* a;
  int64_t lda;
  const void* b;
  int64_t ldb;
  void* c;
  int64_t ldc;
  int64_t batch = 1;
  int64_t a_stride = 0, b_stride = 0, c_stride = 0;
  const void* alpha;  // in the host's memory
  const void* beta;
  const void* bias = nullptr;
  void* stream = nullptr;
};

// The call with its scalars read and its key begun: what site, place and pointers add is the
// Dispatcher's to add. Empty if a pointer is null, or if alpha is zero: then a and b must not be
// looked at, which kernels do.
std::optional<RawCall> to_raw_call(const CublasCall& call, const void* frame);

// The arguments of cublasLtMatmul.
struct LtArguments {
  cublasLtMatmulDesc_t description;
  const void* alpha;
  const void* a;
  cublasLtMatrixLayout_t a_layout;
  const void* b;
  cublasLtMatrixLayout_t b_layout;
  const void* beta;
  const void* c;
  cublasLtMatrixLayout_t c_layout;
  void* d;
  cublasLtMatrixLayout_t d_layout;
  void* stream;
};

// Reads descriptor and layouts through the getters of the library that made them. Empty for all
// that is not a plain column-major product, perhaps with a bias and an activation: scaled or
// row-major operands, tables of pointers, c elsewhere than d, scalars in the GPU's memory,
// auxiliary outputs.
std::optional<CublasCall> read_lt_call(const CublasLibrary& library, const LtArguments& arguments);

}  // namespace triode::host
