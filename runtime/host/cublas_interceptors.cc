// SPDX-License-Identifier: Apache-2.0
// The functions that stand in front of those of cuBLAS: one for each of TRIODE_CUBLAS_SYMBOLS. A
// call that is not understood goes to the original as it came; so does one from a context that no
// plan can be for.
#include <cublasLt.h>
#include <cublas_v2.h>

#include <optional>
#include <string>
#include <type_traits>

#include "runtime/host/call_sites.h"
#include "runtime/host/cublas_call.h"
#include "runtime/host/cublas_library.h"
#include "runtime/host/dispatcher.h"
#include "runtime/host/gpu_places.h"
#include "runtime/host/host.h"
#include "runtime/host/warning.h"

namespace triode::host {
namespace {

// A symbol that nobody else defines: no program that starts calls one.
cublasStatus_t refuse(Symbol symbol) {
  warn_once("nobody in this process answers this call of " + std::string(traits_of(symbol).name) +
            "; refused.");
  return CUBLAS_STATUS_NOT_SUPPORTED;
}

const CublasLibrary* library_of(const CallSite& site) {
  return cublas_library_of(call_traits::vendor(site.traits));
}

// Answers a call that was understood, or has it answered by `forward`, which calls the original.
template <typename Forward>
cublasStatus_t answer(const CallSite& site, const CublasCall& described, const void* frame,
                      const Forward& forward) {
  Dispatcher* const dispatcher = active_dispatcher();
  if (dispatcher == nullptr) return forward();
  std::optional<RawCall> call = to_raw_call(described, frame);
  const GpuPlace* const place = call ? current_gpu_place() : nullptr;
  if (place == nullptr) return forward();
  const GpuTicket ticket = dispatcher->enter_gpu(*call, site, place->number);
  if (ticket.vendor.is_answered) return CUBLAS_STATUS_SUCCESS;
  const cublasStatus_t status = forward();
  dispatcher->leave_gpu(ticket, status == CUBLAS_STATUS_SUCCESS);
  return status;
}

// The types of a function that has them in its name.
template <typename Scalar>
struct TypesOf;
template <>
struct TypesOf<float> {
  static constexpr cudaDataType kData = CUDA_R_32F;
  static constexpr cublasComputeType_t kCompute = CUBLAS_COMPUTE_32F;
};
template <>
struct TypesOf<double> {
  static constexpr cudaDataType kData = CUDA_R_64F;
  static constexpr cublasComputeType_t kCompute = CUBLAS_COMPUTE_64F;
};
template <>
struct TypesOf<__half> {
  static constexpr cudaDataType kData = CUDA_R_16F;
  // It adds up in half floats, as it is named; our sums are more precise.
  static constexpr cublasComputeType_t kCompute = CUBLAS_COMPUTE_32F;
};

struct Types {
  cudaDataType a, b, c;
  cublasComputeType_t compute;
  bool has_half_scalars = false;
};

template <typename Scalar>
constexpr Types types_of() {
  using Of = TypesOf<Scalar>;
  return {Of::kData, Of::kData, Of::kData, Of::kCompute, std::is_same_v<Scalar, __half>};
}

// Answers a call with a handle of cuBLAS. `call` lacks its meaning and its stream.
template <typename Forward>
cublasStatus_t answer_with_handle(const CallSite& site, cublasHandle_t handle, const Types& types,
                                  CublasCall call, const void* frame, const Forward& forward) {
  if (site.original == nullptr) return refuse(site.symbol);
  if (active_dispatcher() == nullptr) return forward();
  const CublasLibrary* const library = library_of(site);
  CublasState state;
  if (library == nullptr || !read_handle(*library, handle, state)) return forward();
  const auto meaning = meaning_of_types(types.a, types.b, types.c, types.compute, state.math);
  if (!meaning) return forward();
  call.meaning = *meaning;
  if (types.has_half_scalars) call.meaning.scalar = CublasScalar::kF16;
  call.stream = state.stream;
  return answer(site, call, frame, forward);
}

}  // namespace
}  // namespace triode::host

#define TRIODE_EXPORT extern "C" __attribute__((visibility("default")))

// The body of an entry point: what is described, and the arguments to forward.
#define TRIODE_ANSWER(symbol, types, call, arguments)                                   \
  using namespace triode::host;                                                         \
  const CallSite& site = site_of_call(Symbol::k_##symbol, __builtin_return_address(0)); \
  const auto forward = [&] {                                                            \
    return reinterpret_cast<decltype(&::symbol)>(site.original) arguments;              \
  };                                                                                    \
  return answer_with_handle(site, handle, types, call, __builtin_frame_address(0), forward)

#define TRIODE_PLAIN_CALL        \
  (CublasCall{.meaning = {},     \
              .transpose_a = ta, \
              .transpose_b = tb, \
              .m = m,            \
              .n = n,            \
              .k = k,            \
              .a = a,            \
              .lda = lda,        \
              .b = b,            \
              .ldb = ldb,        \
              .c = c,            \
              .ldc = ldc,        \
              .alpha = alpha,    \
              .beta = beta})

#define TRIODE_BATCH_CALL           \
  (CublasCall{.meaning = {},        \
              .transpose_a = ta,    \
              .transpose_b = tb,    \
              .m = m,               \
              .n = n,               \
              .k = k,               \
              .a = a,               \
              .lda = lda,           \
              .b = b,               \
              .ldb = ldb,           \
              .c = c,               \
              .ldc = ldc,           \
              .batch = batch,       \
              .a_stride = a_stride, \
              .b_stride = b_stride, \
              .c_stride = c_stride, \
              .alpha = alpha,       \
              .beta = beta})

// NOLINTBEGIN(readability-identifier-naming): names are cuBLAS's own.

TRIODE_EXPORT cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t ta,
                                          cublasOperation_t tb, int m, int n, int k,
                                          const void* alpha, const void* a, cudaDataType a_type,
                                          int lda, const void* b, cudaDataType b_type, int ldb,
                                          const void* beta, void* c, cudaDataType c_type, int ldc,
                                          cublasComputeType_t compute, cublasGemmAlgo_t algorithm) {
  using Function =
      cublasStatus_t(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int,
                     const void*, const void*, cudaDataType, int, const void*, cudaDataType, int,
                     const void*, void*, cudaDataType, int, cublasComputeType_t, cublasGemmAlgo_t);
  using namespace triode::host;
  const CallSite& site = site_of_call(Symbol::k_cublasGemmEx, __builtin_return_address(0));
  const auto forward = [&] {
    return reinterpret_cast<Function*>(site.original)(handle, ta, tb, m, n, k, alpha, a, a_type,
                                                      lda, b, b_type, ldb, beta, c, c_type, ldc,
                                                      compute, algorithm);
  };
  return answer_with_handle(site, handle, {a_type, b_type, c_type, compute}, TRIODE_PLAIN_CALL,
                            __builtin_frame_address(0), forward);
}

TRIODE_EXPORT cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
    const void* alpha, const void* a, cudaDataType a_type, int lda, long long a_stride,
    const void* b, cudaDataType b_type, int ldb, long long b_stride, const void* beta, void* c,
    cudaDataType c_type, int ldc, long long c_stride, int batch, cublasComputeType_t compute,
    cublasGemmAlgo_t algorithm) {
  using Function = cublasStatus_t(
      cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const void*, const void*,
      cudaDataType, int, long long, const void*, cudaDataType, int, long long, const void*, void*,
      cudaDataType, int, long long, int, cublasComputeType_t, cublasGemmAlgo_t);
  using namespace triode::host;
  const CallSite& site =
      site_of_call(Symbol::k_cublasGemmStridedBatchedEx, __builtin_return_address(0));
  const auto forward = [&] {
    return reinterpret_cast<Function*>(site.original)(
        handle, ta, tb, m, n, k, alpha, a, a_type, lda, a_stride, b, b_type, ldb, b_stride, beta, c,
        c_type, ldc, c_stride, batch, compute, algorithm);
  };
  return answer_with_handle(site, handle, {a_type, b_type, c_type, compute}, TRIODE_BATCH_CALL,
                            __builtin_frame_address(0), forward);
}

TRIODE_EXPORT cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t ta,
                                           cublasOperation_t tb, int m, int n, int k,
                                           const float* alpha, const void* a, cudaDataType a_type,
                                           int lda, const void* b, cudaDataType b_type, int ldb,
                                           const float* beta, void* c, cudaDataType c_type,
                                           int ldc) {
  TRIODE_ANSWER(
      cublasSgemmEx, (Types{a_type, b_type, c_type, CUBLAS_COMPUTE_32F}), TRIODE_PLAIN_CALL,
      (handle, ta, tb, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta, c, c_type, ldc));
}

#define TRIODE_GEMM(symbol, Scalar)                                                                \
  TRIODE_EXPORT cublasStatus_t symbol(                                                             \
      cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,      \
      const Scalar* alpha, const Scalar* a, int lda, const Scalar* b, int ldb, const Scalar* beta, \
      Scalar* c, int ldc) {                                                                        \
    TRIODE_ANSWER(symbol, types_of<Scalar>(), TRIODE_PLAIN_CALL,                                   \
                  (handle, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc));                 \
  }

TRIODE_GEMM(cublasSgemm_v2, float)
TRIODE_GEMM(cublasDgemm_v2, double)
TRIODE_GEMM(cublasHgemm, __half)

#define TRIODE_BATCHED_GEMM(symbol, Scalar)                                                        \
  TRIODE_EXPORT cublasStatus_t symbol(                                                             \
      cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,      \
      const Scalar* alpha, const Scalar* a, int lda, long long a_stride, const Scalar* b, int ldb, \
      long long b_stride, const Scalar* beta, Scalar* c, int ldc, long long c_stride, int batch) { \
    TRIODE_ANSWER(symbol, types_of<Scalar>(), TRIODE_BATCH_CALL,                                   \
                  (handle, ta, tb, m, n, k, alpha, a, lda, a_stride, b, ldb, b_stride, beta, c,    \
                   ldc, c_stride, batch));                                                         \
  }

TRIODE_BATCHED_GEMM(cublasSgemmStridedBatched, float)
TRIODE_BATCHED_GEMM(cublasDgemmStridedBatched, double)
TRIODE_BATCHED_GEMM(cublasHgemmStridedBatched, __half)

TRIODE_EXPORT cublasStatus_t cublasLtMatmul(
    cublasLtHandle_t handle, cublasLtMatmulDesc_t description, const void* alpha, const void* a,
    cublasLtMatrixLayout_t a_layout, const void* b, cublasLtMatrixLayout_t b_layout,
    const void* beta, const void* c, cublasLtMatrixLayout_t c_layout, void* d,
    cublasLtMatrixLayout_t d_layout, const cublasLtMatmulAlgo_t* algorithm, void* workspace,
    size_t workspace_bytes, cudaStream_t stream) {
  using namespace triode::host;
  const CallSite& site = site_of_call(Symbol::k_cublasLtMatmul, __builtin_return_address(0));
  if (site.original == nullptr) return refuse(Symbol::k_cublasLtMatmul);
  const auto forward = [&] {
    return reinterpret_cast<decltype(&::cublasLtMatmul)>(site.original)(
        handle, description, alpha, a, a_layout, b, b_layout, beta, c, c_layout, d, d_layout,
        algorithm, workspace, workspace_bytes, stream);
  };
  const CublasLibrary* const library = active_dispatcher() == nullptr ? nullptr : library_of(site);
  if (library == nullptr) return forward();
  const auto described = read_lt_call(*library, {description, alpha, a, a_layout, b, b_layout, beta,
                                                 c, c_layout, d, d_layout, stream});
  if (!described) return forward();
  return answer(site, *described, __builtin_frame_address(0), forward);
}

// NOLINTEND(readability-identifier-naming)
