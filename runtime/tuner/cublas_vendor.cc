// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/cublas_vendor.h"

#include <cublas_v2.h>

#include <string>
#include <utility>

#include "runtime/tuner/cublas_calls.h"
#include "runtime/tuner/cublas_lt_vendor.h"
#include "runtime/tuner/vendor_call.h"

namespace triode::tuner {
namespace {

// Functions of cuBLAS. The caller's a is the problem's b: it is column-major.
class PlainVendor final : public CublasVendor {
 public:
  static Result<std::unique_ptr<CublasVendor>> make(const VendorCall& call,
                                                    const VendorLibrary& library, void* stream) {
    std::unique_ptr<PlainVendor> made(new PlainVendor(call));
    decltype(&cublasCreate_v2) create = nullptr;
    decltype(&cublasSetStream_v2) set_stream = nullptr;
    decltype(&cublasSetMathMode) set_math = nullptr;
    TRIODE_TRY(library.bind(create, "cublasCreate_v2"));
    TRIODE_TRY(library.bind(made->destroy_, "cublasDestroy_v2"));
    TRIODE_TRY(library.bind(set_stream, "cublasSetStream_v2"));
    TRIODE_TRY(library.bind(set_math, "cublasSetMathMode"));
    made->function_ = TRIODE_TRY(library.find(call.symbol.c_str()));
    TRIODE_TRY(check(create(&made->handle_), "cublasCreate"));
    TRIODE_TRY(
        check(set_stream(made->handle_, static_cast<cudaStream_t>(stream)), "cublasSetStream"));
    const bool uses_tf32 = made->x_.flavour.operands == DType::kTF32;
    TRIODE_TRY(
        check(set_math(made->handle_, uses_tf32 ? CUBLAS_TF32_TENSOR_OP_MATH : CUBLAS_DEFAULT_MATH),
              "cublasSetMathMode"));
    return std::unique_ptr<CublasVendor>(std::move(made));
  }
  ~PlainVendor() override {
    if (handle_ != nullptr) destroy_(handle_);
  }

  Status enqueue(const Operands& operands) override {
    const CublasScalars alpha(operands.alpha), beta(operands.beta);
    if (symbol_ == "cublasGemmEx") return check(gemm_ex(operands, alpha, beta), "cublasGemmEx");
    if (symbol_ == "cublasGemmStridedBatchedEx") {
      return check(batched_ex(operands, alpha, beta), "cublasGemmStridedBatchedEx");
    }
    if (symbol_ == "cublasSgemmEx") {
      return check(sgemm_ex(operands, alpha, beta), "cublasSgemmEx");
    }
    const bool is_batched = symbol_.ends_with("StridedBatched");
    switch (symbol_[6]) {  // cublasS..., cublasD..., cublasH...
      case 'S':
        return check(typed<float>(operands, &alpha.f32, &beta.f32, is_batched), symbol_.c_str());
      case 'D':
        return check(typed<double>(operands, &alpha.f64, &beta.f64, is_batched), symbol_.c_str());
      case 'H':
        return check(typed<uint16_t>(operands, &alpha.f16, &beta.f16, is_batched), symbol_.c_str());
      default:
        return unsupported("no call of " + symbol_ + " can be made here");
    }
  }

 private:
  explicit PlainVendor(const VendorCall& call) : x_(call), symbol_(call.symbol) {}

  cublasStatus_t gemm_ex(const Operands& o, const CublasScalars& alpha, const CublasScalars& beta) {
    using Function = cublasStatus_t(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int,
                                    int, const void*, const void*, cudaDataType, int, const void*,
                                    cudaDataType, int, const void*, void*, cudaDataType, int,
                                    cublasComputeType_t, cublasGemmAlgo_t);
    const cudaDataType type = data_type(x_.flavour.operands);
    const cublasComputeType_t compute = compute_type(x_.flavour);
    return reinterpret_cast<Function*>(function_)(
        handle_, x_.ta, x_.tb, x_.m, x_.n, x_.k, alpha.as(compute), o.b, type, x_.lda, o.a, type,
        x_.ldb, beta.as(compute), o.c, data_type(x_.flavour.c), x_.ldc, compute,
        CUBLAS_GEMM_DEFAULT);
  }

  cublasStatus_t batched_ex(const Operands& o, const CublasScalars& alpha,
                            const CublasScalars& beta) {
    using Function =
        cublasStatus_t(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int,
                       const void*, const void*, cudaDataType, int, long long, const void*,
                       cudaDataType, int, long long, const void*, void*, cudaDataType, int,
                       long long, int, cublasComputeType_t, cublasGemmAlgo_t);
    const cudaDataType type = data_type(x_.flavour.operands);
    const cublasComputeType_t compute = compute_type(x_.flavour);
    return reinterpret_cast<Function*>(function_)(
        handle_, x_.ta, x_.tb, x_.m, x_.n, x_.k, alpha.as(compute), o.b, type, x_.lda,
        x_.key.a_stride, o.a, type, x_.ldb, x_.key.b_stride, beta.as(compute), o.c,
        data_type(x_.flavour.c), x_.ldc, x_.key.c_stride, x_.batch, compute, CUBLAS_GEMM_DEFAULT);
  }

  cublasStatus_t sgemm_ex(const Operands& o, const CublasScalars& alpha,
                          const CublasScalars& beta) {
    const cudaDataType type = data_type(x_.flavour.operands);
    return reinterpret_cast<decltype(&cublasSgemmEx)>(function_)(
        handle_, x_.ta, x_.tb, x_.m, x_.n, x_.k, &alpha.f32, o.b, type, x_.lda, o.a, type, x_.ldb,
        &beta.f32, o.c, data_type(x_.flavour.c), x_.ldc);
  }

  template <typename Scalar>
  cublasStatus_t typed(const Operands& o, const Scalar* alpha, const Scalar* beta,
                       bool is_batched) {
    using Plain = cublasStatus_t(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int,
                                 int, const Scalar*, const void*, int, const void*, int,
                                 const Scalar*, void*, int);
    using Batched = cublasStatus_t(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int,
                                   int, const Scalar*, const void*, int, long long, const void*,
                                   int, long long, const Scalar*, void*, int, long long, int);
    if (!is_batched) {
      return reinterpret_cast<Plain*>(function_)(handle_, x_.ta, x_.tb, x_.m, x_.n, x_.k, alpha,
                                                 o.b, x_.lda, o.a, x_.ldb, beta, o.c, x_.ldc);
    }
    return reinterpret_cast<Batched*>(function_)(
        handle_, x_.ta, x_.tb, x_.m, x_.n, x_.k, alpha, o.b, x_.lda, x_.key.a_stride, o.a, x_.ldb,
        x_.key.b_stride, beta, o.c, x_.ldc, x_.key.c_stride, x_.batch);
  }

  const CublasArguments x_;
  const std::string symbol_;
  void* function_ = nullptr;
  cublasHandle_t handle_ = nullptr;
  decltype(&cublasDestroy_v2) destroy_ = nullptr;
};

}  // namespace

Status CublasVendor::choose(const Operands&) {
  return {};
}

Result<std::unique_ptr<CublasVendor>> CublasVendor::load(const VendorCall& call,
                                                         CudaDevice& device) {
  TRIODE_TRY(problem_of(call));
  const VendorLibrary library = TRIODE_TRY(VendorLibrary::load(call));
  return call.symbol == "cublasLtMatmul" ? make_lt_vendor(call, library, device)
                                         : PlainVendor::make(call, library, device.stream());
}

}  // namespace triode::tuner
