// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/cublas_lt_vendor.h"

#include <cublasLt.h>

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/tuner/cublas_calls.h"

namespace triode::tuner {
namespace {

// As much as programs commonly give to cublasLtMatmul.
constexpr size_t kWorkspaceBytes = 32 << 20;
// Algorithms that are timed: the library has them in the order in which it thinks them fast.
constexpr int kMostAlgorithms = 4;
constexpr int32_t kCallsPerAlgorithm = 5;

// cublasLtMatmul. Its callers bring an algorithm and a workspace, which a plan's key does not have:
// so a plan must beat the best that there is.
class LtVendor final : public CublasVendor {
 public:
  static Result<std::unique_ptr<CublasVendor>> make(const VendorCall& call,
                                                    const VendorLibrary& library,
                                                    CudaDevice& device) {
    std::unique_ptr<LtVendor> made(new LtVendor(call, device));
    TRIODE_TRY(made->bind(library));
    TRIODE_TRY(made->describe());
    auto workspace = device.allocate(kWorkspaceBytes);
    if (workspace.ok()) made->workspace_ = std::move(workspace).take();
    return std::unique_ptr<CublasVendor>(std::move(made));
  }
  ~LtVendor() override {
    if (desc_ != nullptr) destroy_desc_(desc_);
    for (const cublasLtMatrixLayout_t layout : {a_, b_, c_}) {
      if (layout != nullptr) destroy_layout_(layout);
    }
    if (handle_ != nullptr) destroy_(handle_);
  }

  Status enqueue(const Operands& operands) override {
    const CublasScalars alpha(operands.alpha), beta(operands.beta);
    const cublasComputeType_t compute = compute_type(x_.flavour);
    if (operands.bias != nullptr) {
      TRIODE_TRY(set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, operands.bias));
    }
    return check(matmul_(handle_, desc_, alpha.as(compute), operands.b, a_, operands.a, b_,
                         beta.as(compute), operands.c, c_, operands.c, c_,
                         algorithm_ ? &*algorithm_ : nullptr, workspace_.data(),
                         workspace_.size_bytes(), static_cast<cudaStream_t>(device_.stream())),
                 "cublasLtMatmul");
  }

  Status choose(const Operands& operands) override {
    std::optional<cublasLtMatmulAlgo_t> fastest;
    double least_ns = 0;
    for (const cublasLtMatmulAlgo_t& each : TRIODE_TRY(proposed())) {
      algorithm_ = each;
      if (!enqueue(operands).ok()) continue;  // a proposal that the library refuses after all
      const Sample sample =
          TRIODE_TRY(device_.sample([&] { return enqueue(operands); }, kCallsPerAlgorithm));
      if (fastest && sample.per_call.count() >= least_ns) continue;
      fastest = each;
      least_ns = sample.per_call.count();
    }
    algorithm_ = fastest;
    return {};
  }

 private:
  LtVendor(const VendorCall& call, CudaDevice& device) : x_(call), device_(device) {}

  // None where the library has no proposal: it then decides at each call.
  Result<std::vector<cublasLtMatmulAlgo_t>> proposed() {
    cublasLtMatmulPreference_t preference = nullptr;
    TRIODE_TRY(check(create_preference_(&preference), "cublasLtMatmulPreferenceCreate"));
    const size_t bytes = workspace_.size_bytes();
    std::array<cublasLtMatmulHeuristicResult_t, kMostAlgorithms> results{};
    int count = 0;
    const bool has_any = set_preference_(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                         &bytes, sizeof bytes) == CUBLAS_STATUS_SUCCESS &&
                         propose_(handle_, desc_, a_, b_, c_, c_, preference, kMostAlgorithms,
                                  results.data(), &count) == CUBLAS_STATUS_SUCCESS;
    destroy_preference_(preference);
    std::vector<cublasLtMatmulAlgo_t> algorithms;
    for (int i = 0; has_any && i < count; ++i) {
      const auto& result = results[static_cast<size_t>(i)];
      if (result.state == CUBLAS_STATUS_SUCCESS) algorithms.push_back(result.algo);
    }
    return algorithms;
  }

  Status bind(const VendorLibrary& library) {
    decltype(&cublasLtCreate) create = nullptr;
    TRIODE_TRY(library.bind(create, "cublasLtCreate"));
    TRIODE_TRY(library.bind(destroy_, "cublasLtDestroy"));
    TRIODE_TRY(library.bind(matmul_, "cublasLtMatmul"));
    TRIODE_TRY(library.bind(create_desc_, "cublasLtMatmulDescCreate"));
    TRIODE_TRY(library.bind(destroy_desc_, "cublasLtMatmulDescDestroy"));
    TRIODE_TRY(library.bind(set_desc_, "cublasLtMatmulDescSetAttribute"));
    TRIODE_TRY(library.bind(create_layout_, "cublasLtMatrixLayoutCreate"));
    TRIODE_TRY(library.bind(destroy_layout_, "cublasLtMatrixLayoutDestroy"));
    TRIODE_TRY(library.bind(set_layout_, "cublasLtMatrixLayoutSetAttribute"));
    TRIODE_TRY(library.bind(create_preference_, "cublasLtMatmulPreferenceCreate"));
    TRIODE_TRY(library.bind(destroy_preference_, "cublasLtMatmulPreferenceDestroy"));
    TRIODE_TRY(library.bind(set_preference_, "cublasLtMatmulPreferenceSetAttribute"));
    TRIODE_TRY(library.bind(propose_, "cublasLtMatmulAlgoGetHeuristic"));
    return check(create(&handle_), "cublasLtCreate");
  }

  template <typename T>
  Status set(cublasLtMatmulDescAttributes_t which, const T& value) {
    return check(set_desc_(desc_, which, &value, sizeof value), "describing a matmul");
  }

  Status describe() {
    const bool is_f64 = x_.flavour.operands == DType::kF64;
    TRIODE_TRY(
        check(create_desc_(&desc_, compute_type(x_.flavour), is_f64 ? CUDA_R_64F : CUDA_R_32F),
              "cublasLtMatmulDescCreate"));
    TRIODE_TRY(set(CUBLASLT_MATMUL_DESC_TRANSA, static_cast<int32_t>(x_.ta)));
    TRIODE_TRY(set(CUBLASLT_MATMUL_DESC_TRANSB, static_cast<int32_t>(x_.tb)));
    TRIODE_TRY(set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue()));
    const cudaDataType type = data_type(x_.flavour.operands);
    const auto& key = x_.key;
    const bool ta = x_.ta != CUBLAS_OP_N, tb = x_.tb != CUBLAS_OP_N;
    TRIODE_TRY(lay_out(a_, type, ta ? key.k : key.m, ta ? key.m : key.k, key.lda, key.a_stride));
    TRIODE_TRY(lay_out(b_, type, tb ? key.n : key.k, tb ? key.k : key.n, key.ldb, key.b_stride));
    return lay_out(c_, data_type(x_.flavour.c), key.m, key.n, key.ldc, key.c_stride);
  }

  int32_t epilogue() const {
    switch (x_.flavour.epilogue) {
      case Epilogue::kBias:
        return CUBLASLT_EPILOGUE_BIAS;
      case Epilogue::kRelu:
        return CUBLASLT_EPILOGUE_RELU;
      case Epilogue::kBiasRelu:
        return CUBLASLT_EPILOGUE_RELU_BIAS;
      case Epilogue::kGelu:
        return CUBLASLT_EPILOGUE_GELU;
      case Epilogue::kBiasGelu:
        return CUBLASLT_EPILOGUE_GELU_BIAS;
      default:
        return CUBLASLT_EPILOGUE_DEFAULT;
    }
  }

  Status lay_out(cublasLtMatrixLayout_t& layout, cudaDataType type, int64_t rows, int64_t columns,
                 int64_t ld, int64_t stride) {
    TRIODE_TRY(check(create_layout_(&layout, type, static_cast<uint64_t>(rows),
                                    static_cast<uint64_t>(columns), ld),
                     "cublasLtMatrixLayoutCreate"));
    if (x_.key.batch == 1) return {};
    const auto batch = static_cast<int32_t>(x_.key.batch);
    TRIODE_TRY(check(set_layout_(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch, sizeof batch),
                     "describing a batch"));
    return check(
        set_layout_(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride, sizeof stride),
        "describing a batch");
  }

  const CublasArguments x_;
  CudaDevice& device_;
  CudaBuffer workspace_;  // empty if the GPU has no memory for it
  std::optional<cublasLtMatmulAlgo_t> algorithm_;
  cublasLtHandle_t handle_ = nullptr;
  cublasLtMatmulDesc_t desc_ = nullptr;
  cublasLtMatrixLayout_t a_ = nullptr, b_ = nullptr, c_ = nullptr;
  decltype(&cublasLtDestroy) destroy_ = nullptr;
  decltype(&cublasLtMatmul) matmul_ = nullptr;
  decltype(&cublasLtMatmulDescCreate) create_desc_ = nullptr;
  decltype(&cublasLtMatmulDescDestroy) destroy_desc_ = nullptr;
  decltype(&cublasLtMatmulDescSetAttribute) set_desc_ = nullptr;
  decltype(&cublasLtMatrixLayoutCreate) create_layout_ = nullptr;
  decltype(&cublasLtMatrixLayoutDestroy) destroy_layout_ = nullptr;
  decltype(&cublasLtMatrixLayoutSetAttribute) set_layout_ = nullptr;
  decltype(&cublasLtMatmulPreferenceCreate) create_preference_ = nullptr;
  decltype(&cublasLtMatmulPreferenceDestroy) destroy_preference_ = nullptr;
  decltype(&cublasLtMatmulPreferenceSetAttribute) set_preference_ = nullptr;
  decltype(&cublasLtMatmulAlgoGetHeuristic) propose_ = nullptr;
};

}  // namespace

Result<std::unique_ptr<CublasVendor>> make_lt_vendor(const VendorCall& call,
                                                     const VendorLibrary& library,
                                                     CudaDevice& device) {
  return LtVendor::make(call, library, device);
}

}  // namespace triode::tuner
