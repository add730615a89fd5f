// SPDX-License-Identifier: Apache-2.0
// Descriptors are made and read by the real cuBLASLt, which needs no GPU for that.
#include "runtime/host/cublas_call.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "runtime/host/call_meaning.h"

namespace triode::host {
namespace {

void* real_function(const char* name) {
  static void* const library = dlopen(TRIODE_REAL_CUBLAS_LT, RTLD_NOW | RTLD_LOCAL);
  void* const found = library == nullptr ? nullptr : dlsym(library, name);
  if (found == nullptr) ADD_FAILURE() << name << ": " << dlerror();
  return found;
}
#define REAL(name) reinterpret_cast<decltype(&name)>(real_function(#name))

// A product of a (4 x 6, stored 6 x 4 and transposed) and b (6 x 5) in half floats, with c and d in
// one place, which each test makes special.
class LtCall : public ::testing::Test {
 protected:
  void SetUp() override {
    library_.describe_matmul = REAL(cublasLtMatmulDescGetAttribute);
    library_.describe_layout = REAL(cublasLtMatrixLayoutGetAttribute);
    ASSERT_EQ(REAL(cublasLtMatmulDescCreate)(&x_.description, CUBLAS_COMPUTE_32F, CUDA_R_32F),
              CUBLAS_STATUS_SUCCESS);
    set(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T);
    x_.a_layout = layout(CUDA_R_16F, 6, 4, 8);
    x_.b_layout = layout(CUDA_R_16F, 6, 5, 6);
    x_.c_layout = x_.d_layout = layout(CUDA_R_16F, 4, 5, 7);
    x_.alpha = &one_;
    x_.beta = &zero_;
    x_.a = memory_.data();
    x_.b = memory_.data() + 1;
    x_.c = x_.d = memory_.data() + 2;
    x_.stream = memory_.data() + 3;
  }
  void TearDown() override {
    for (cublasLtMatrixLayout_t const each : layouts_) REAL(cublasLtMatrixLayoutDestroy)(each);
    REAL(cublasLtMatmulDescDestroy)(x_.description);
  }
  template <typename T>
  void set(cublasLtMatmulDescAttributes_t which, T value) {
    ASSERT_EQ(REAL(cublasLtMatmulDescSetAttribute)(x_.description, which, &value, sizeof value),
              CUBLAS_STATUS_SUCCESS);
  }
  cublasLtMatrixLayout_t layout(cudaDataType type, uint64_t rows, uint64_t columns, int64_t ld) {
    cublasLtMatrixLayout_t made = nullptr;
    EXPECT_EQ(REAL(cublasLtMatrixLayoutCreate)(&made, type, rows, columns, ld),
              CUBLAS_STATUS_SUCCESS);
    layouts_.push_back(made);
    return made;
  }
  template <typename T>
  void set_layout(cublasLtMatrixLayout_t of, cublasLtMatrixLayoutAttribute_t which, T value) {
    ASSERT_EQ(REAL(cublasLtMatrixLayoutSetAttribute)(of, which, &value, sizeof value),
              CUBLAS_STATUS_SUCCESS);
  }
  bool is_understood() const { return read_lt_call(library_, x_).has_value(); }

  CublasLibrary library_;
  LtArguments x_{};
  std::vector<cublasLtMatrixLayout_t> layouts_;
  std::array<void*, 4> memory_{};
  const float one_ = 1, zero_ = 0, half_ = 0.5;
};

TEST_F(LtCall, IsReadAsItWasDescribed) {
  const auto call = read_lt_call(library_, x_);
  ASSERT_TRUE(call);
  EXPECT_EQ(call->meaning.flavour, (GpuFlavour{DType::kF16, DType::kF16, Epilogue::kNone}));
  EXPECT_EQ((std::array{call->m, call->n, call->k}), (std::array<int64_t, 3>{4, 5, 6}));
  EXPECT_EQ((std::array{call->lda, call->ldb, call->ldc}), (std::array<int64_t, 3>{8, 6, 7}));
  EXPECT_EQ(call->transpose_a, CUBLAS_OP_T);
  EXPECT_EQ(call->stream, x_.stream);
}

TEST_F(LtCall, MeansARowMajorProblemWithExchangedOperands) {
  std::optional<RawCall> raw = to_raw_call(*read_lt_call(library_, x_), nullptr);
  ASSERT_TRUE(raw);
  raw->key.traits |= call_traits::of_site(Symbol::k_cublasLtMatmul, 1) |
                     uint64_t{1} << call_traits::kAligned | uint64_t{3} << call_traits::kThreads;
  const CallMeaning meaning = meaning_of(raw->key);
  ASSERT_EQ(meaning.understanding, Understanding::kProblem);
  EXPECT_TRUE(meaning.operands_exchanged);
  EXPECT_EQ(to_string(meaning.problem), "mm f16 5x4x6 nt ld=6,8,7");
}

TEST_F(LtCall, HasItsBiasAndActivation) {
  for (const auto& [epilogue, expected] :
       {std::pair{CUBLASLT_EPILOGUE_BIAS, Epilogue::kBias},
        std::pair{CUBLASLT_EPILOGUE_RELU_BIAS, Epilogue::kBiasRelu},
        std::pair{CUBLASLT_EPILOGUE_GELU_BIAS, Epilogue::kBiasGelu}}) {
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue);
    set<const void*>(CUBLASLT_MATMUL_DESC_BIAS_POINTER, memory_.data());
    const auto call = read_lt_call(library_, x_);
    ASSERT_TRUE(call);
    EXPECT_EQ(call->meaning.flavour.epilogue, expected);
    EXPECT_EQ(call->bias, memory_.data());
  }
}

TEST_F(LtCall, OfABatchHasItsStrides) {
  for (const cublasLtMatrixLayout_t each : {x_.a_layout, x_.b_layout, x_.d_layout}) {
    set_layout<int32_t>(each, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, 3);
    set_layout<int64_t>(each, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, 100);
  }
  const auto call = read_lt_call(library_, x_);
  ASSERT_TRUE(call);
  EXPECT_EQ(call->batch, 3);
  EXPECT_EQ(call->c_stride, 100);
}

TEST_F(LtCall, IsNotUnderstoodWhereAnOperandIsATableOfPointers) {
  for (const auto mode : {CUBLASLT_BATCH_MODE_POINTER_ARRAY, CUBLASLT_BATCH_MODE_GROUPED}) {
    for (const cublasLtMatrixLayout_t each : {x_.a_layout, x_.b_layout, x_.d_layout}) {
      set_layout<uint32_t>(each, CUBLASLT_MATRIX_LAYOUT_BATCH_MODE, mode);
      EXPECT_FALSE(is_understood());
      set_layout<uint32_t>(each, CUBLASLT_MATRIX_LAYOUT_BATCH_MODE, CUBLASLT_BATCH_MODE_STRIDED);
      EXPECT_TRUE(is_understood());
    }
  }
}

TEST_F(LtCall, IsNotUnderstoodIfItsScalarsAreOnTheGpu) {
  set(CUBLASLT_MATMUL_DESC_POINTER_MODE, CUBLASLT_POINTER_MODE_DEVICE);
  EXPECT_FALSE(is_understood());
}

TEST_F(LtCall, IsNotUnderstoodIfItsOperandsAreScaled) {
  set<const void*>(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, memory_.data());
  EXPECT_FALSE(is_understood());
}

TEST_F(LtCall, IsNotUnderstoodWithAnAuxiliaryOutput) {
  set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_RELU_AUX);
  EXPECT_FALSE(is_understood());
}

TEST_F(LtCall, IsNotUnderstoodInRowMajorOrder) {
  set_layout<int32_t>(x_.a_layout, CUBLASLT_MATRIX_LAYOUT_ORDER, CUBLASLT_ORDER_ROW);
  EXPECT_FALSE(is_understood());
}

TEST_F(LtCall, IsNotUnderstoodIfItReadsCElsewhere) {
  x_.c = memory_.data();
  EXPECT_TRUE(is_understood());  // with beta zero c is not read
  x_.beta = &half_;
  EXPECT_FALSE(is_understood());
}

TEST_F(LtCall, IsNotUnderstoodIfItsSizesDisagree) {
  x_.b_layout = layout(CUDA_R_16F, 7, 5, 7);
  EXPECT_FALSE(is_understood());
}

TEST(CublasTypes, MeanWhatCublasDoesWithThem) {
  const auto operands = [](cudaDataType type, cudaDataType c, cublasComputeType_t compute,
                           cublasMath_t math) -> std::optional<DType> {
    const auto meaning = meaning_of_types(type, type, c, compute, math);
    return meaning ? std::optional(meaning->flavour.operands) : std::nullopt;
  };
  EXPECT_EQ(operands(CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUBLAS_DEFAULT_MATH), DType::kF32);
  EXPECT_EQ(operands(CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUBLAS_TF32_TENSOR_OP_MATH),
            DType::kTF32);
  EXPECT_EQ(operands(CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, CUBLAS_DEFAULT_MATH),
            DType::kTF32);
  EXPECT_EQ(operands(CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUBLAS_DEFAULT_MATH),
            DType::kBF16);
  EXPECT_EQ(operands(CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, CUBLAS_DEFAULT_MATH), DType::kF64);
}

TEST(CublasTypes, AreNotUnderstoodWhereAnswersWouldDiffer) {
  const auto is_understood = [](cudaDataType a, cudaDataType b, cudaDataType c,
                                cublasComputeType_t compute, int math = CUBLAS_DEFAULT_MATH) {
    return meaning_of_types(a, b, c, compute, static_cast<cublasMath_t>(math)).has_value();
  };
  EXPECT_FALSE(is_understood(CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_PEDANTIC));
  EXPECT_FALSE(
      is_understood(CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUBLAS_PEDANTIC_MATH));
  EXPECT_FALSE(
      is_understood(CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_EMULATED_16BFX9));
  EXPECT_FALSE(is_understood(CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_16F));
  EXPECT_FALSE(is_understood(CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_16BF));
  EXPECT_FALSE(
      is_understood(CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUBLAS_TENSOR_OP_MATH));
  EXPECT_FALSE(is_understood(CUDA_R_8I, CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I));
  EXPECT_FALSE(is_understood(CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, CUBLAS_COMPUTE_32F));
  EXPECT_FALSE(is_understood(CUDA_R_16F, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F));
  EXPECT_TRUE(is_understood(CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F,
                            CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION));
}

TEST(CublasCalls, AreTheVendorsIfAlphaIsZero) {
  const float zero = 0;
  void* const anywhere = const_cast<float*>(&zero);
  CublasCall call{.meaning = {},
                  .transpose_a = CUBLAS_OP_N,
                  .transpose_b = CUBLAS_OP_N,
                  .m = 1,
                  .n = 1,
                  .k = 1,
                  .a = anywhere,
                  .lda = 1,
                  .b = anywhere,
                  .ldb = 1,
                  .c = anywhere,
                  .ldc = 1,
                  .alpha = &zero,
                  .beta = &zero};
  EXPECT_FALSE(to_raw_call(call, nullptr));
}

}  // namespace
}  // namespace triode::host
