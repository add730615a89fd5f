// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/cublas_call.h"

#include <cstring>

#include "runtime/device/small_floats.h"

namespace triode::host {
namespace {

// The rest are flags that forbid less precise sums, which ours are not.
constexpr int kMathBits = 15;

bool allows_tf32(cublasComputeType_t compute, int math) {
  return compute == CUBLAS_COMPUTE_32F_FAST_TF32 ||
         (compute == CUBLAS_COMPUTE_32F && math == CUBLAS_TF32_TENSOR_OP_MATH);
}

std::optional<DType> dtype_of(cudaDataType type) {
  switch (type) {
    case CUDA_R_16F:
      return DType::kF16;
    case CUDA_R_16BF:
      return DType::kBF16;
    case CUDA_R_32F:
      return DType::kF32;
    case CUDA_R_64F:
      return DType::kF64;
    default:
      return std::nullopt;
  }
}

double read_scalar(const void* from, CublasScalar type) {
  switch (type) {
    case CublasScalar::kF64: {
      double value;
      std::memcpy(&value, from, sizeof value);
      return value;
    }
    case CublasScalar::kF16: {
      uint16_t bits;
      std::memcpy(&bits, from, sizeof bits);
      return f16_to_float(bits);
    }
    case CublasScalar::kF32:
      break;
  }
  float value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// One attribute; `otherwise` if the library does not know it.
template <typename T>
T attribute(const CublasLibrary& library, cublasLtMatmulDesc_t of,
            cublasLtMatmulDescAttributes_t which, T otherwise) {
  T value{};
  size_t written = 0;
  const bool is_known =
      library.describe_matmul(of, which, &value, sizeof value, &written) == CUBLAS_STATUS_SUCCESS &&
      written == sizeof value;
  return is_known ? value : otherwise;
}

template <typename T>
T attribute(const CublasLibrary& library, cublasLtMatrixLayout_t of,
            cublasLtMatrixLayoutAttribute_t which, T otherwise) {
  T value{};
  size_t written = 0;
  const bool is_known =
      library.describe_layout(of, which, &value, sizeof value, &written) == CUBLAS_STATUS_SUCCESS &&
      written == sizeof value;
  return is_known ? value : otherwise;
}

struct Layout {
  int32_t type, order, batch, batch_mode;
  int64_t rows, columns, ld, stride;

  bool operator==(const Layout&) const = default;
};

Layout read_layout(const CublasLibrary& library, cublasLtMatrixLayout_t layout) {
  // What cannot be read becomes what is not understood.
  return {.type = attribute<int32_t>(library, layout, CUBLASLT_MATRIX_LAYOUT_TYPE, -1),
          .order = attribute<int32_t>(library, layout, CUBLASLT_MATRIX_LAYOUT_ORDER, -1),
          .batch = attribute<int32_t>(library, layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, -1),
          // Libraries before CUDA 13 do not know it, and have strides alone.
          .batch_mode = attribute<int32_t>(library, layout, CUBLASLT_MATRIX_LAYOUT_BATCH_MODE,
                                           CUBLASLT_BATCH_MODE_STRIDED),
          .rows = attribute<int64_t>(library, layout, CUBLASLT_MATRIX_LAYOUT_ROWS, -1),
          .columns = attribute<int64_t>(library, layout, CUBLASLT_MATRIX_LAYOUT_COLS, -1),
          .ld = attribute<int64_t>(library, layout, CUBLASLT_MATRIX_LAYOUT_LD, -1),
          .stride =
              attribute<int64_t>(library, layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, -1)};
}

// Column-major matrices at an address, one after another; and not what else a pointer may mean.
bool is_plain(const Layout& layout) {
  return layout.order == CUBLASLT_ORDER_COL && layout.batch_mode == CUBLASLT_BATCH_MODE_STRIDED;
}

std::optional<Epilogue> epilogue_of(int32_t value) {
  switch (value) {
    case CUBLASLT_EPILOGUE_DEFAULT:
      return Epilogue::kNone;
    case CUBLASLT_EPILOGUE_BIAS:
      return Epilogue::kBias;
    case CUBLASLT_EPILOGUE_RELU:
      return Epilogue::kRelu;
    case CUBLASLT_EPILOGUE_RELU_BIAS:
      return Epilogue::kBiasRelu;
    case CUBLASLT_EPILOGUE_GELU:
      return Epilogue::kGelu;
    case CUBLASLT_EPILOGUE_GELU_BIAS:
      return Epilogue::kBiasGelu;
    default:
      return std::nullopt;
  }
}

bool has_bias(Epilogue epilogue) {
  return epilogue == Epilogue::kBias || epilogue == Epilogue::kBiasRelu ||
         epilogue == Epilogue::kBiasGelu || epilogue == Epilogue::kBiasSilu;
}

// Whether it is a product as all others are, and nothing but the epilogue is special.
bool is_plain(const CublasLibrary& library, cublasLtMatmulDesc_t of) {
  const auto number = [&](cublasLtMatmulDescAttributes_t which, int32_t otherwise) {
    return attribute<int32_t>(library, of, which, otherwise);
  };
  const auto is_null = [&](cublasLtMatmulDescAttributes_t which) {
    return attribute<const void*>(library, of, which, nullptr) == nullptr;
  };
  return number(CUBLASLT_MATMUL_DESC_POINTER_MODE, -1) == CUBLASLT_POINTER_MODE_HOST &&
         number(CUBLASLT_MATMUL_DESC_TRANSC, CUBLAS_OP_N) == CUBLAS_OP_N &&
         number(CUBLASLT_MATMUL_DESC_FILL_MODE, CUBLAS_FILL_MODE_FULL) == CUBLAS_FILL_MODE_FULL &&
         number(CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET, 0) == 0 &&
         is_null(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER) &&
         is_null(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER) &&
         is_null(CUBLASLT_MATMUL_DESC_C_SCALE_POINTER) &&
         is_null(CUBLASLT_MATMUL_DESC_D_SCALE_POINTER) &&
         is_null(CUBLASLT_MATMUL_DESC_AMAX_D_POINTER) &&
         is_null(CUBLASLT_MATMUL_DESC_D_OUT_SCALE_POINTER);
}

// The vector is in c's type, and one for all of a batch.
bool is_plain_bias(const CublasLibrary& library, cublasLtMatmulDesc_t of, int32_t c_type) {
  const auto type = attribute<int32_t>(library, of, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, -1);
  const auto stride = attribute<int64_t>(library, of, CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, 0);
  return (type == -1 || type == c_type) && stride == 0;
}

cublasOperation_t transpose(const CublasLibrary& library, cublasLtMatmulDesc_t of,
                            cublasLtMatmulDescAttributes_t which) {
  return static_cast<cublasOperation_t>(attribute<int32_t>(library, of, which, -1));
}

// The flavour by the descriptor's types and epilogue.
std::optional<CublasMeaning> read_meaning(const CublasLibrary& library, cublasLtMatmulDesc_t of,
                                          const Layout& a, const Layout& b, const Layout& d) {
  const auto compute = static_cast<cublasComputeType_t>(
      attribute<int32_t>(library, of, CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, -1));
  auto meaning =
      meaning_of_types(static_cast<cudaDataType>(a.type), static_cast<cudaDataType>(b.type),
                       static_cast<cudaDataType>(d.type), compute, CUBLAS_DEFAULT_MATH);
  const auto epilogue = epilogue_of(
      attribute<int32_t>(library, of, CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_DEFAULT));
  if (!meaning || !epilogue) return std::nullopt;
  if (has_bias(*epilogue) && !is_plain_bias(library, of, d.type)) return std::nullopt;
  meaning->flavour.epilogue = *epilogue;
  switch (attribute<int32_t>(library, of, CUBLASLT_MATMUL_DESC_SCALE_TYPE, -1)) {
    case CUDA_R_32F:
      meaning->scalar = CublasScalar::kF32;
      return meaning;
    case CUDA_R_64F:
      meaning->scalar = CublasScalar::kF64;
      return meaning;
    case CUDA_R_16F:
      meaning->scalar = CublasScalar::kF16;
      return meaning;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<CublasMeaning> meaning_of_types(cudaDataType a, cudaDataType b, cudaDataType c,
                                              cublasComputeType_t compute, cublasMath_t math) {
  const int mode = static_cast<int>(math) & kMathBits;
  const std::optional<DType> operands = dtype_of(a), result = dtype_of(c);
  if (a != b || !operands || !result) return std::nullopt;
  const bool is_f32 = *operands == DType::kF32;
  const bool is_known_mode = mode == CUBLAS_DEFAULT_MATH || mode == CUBLAS_TF32_TENSOR_OP_MATH ||
                             (mode == CUBLAS_TENSOR_OP_MATH && !is_f32);
  if (!is_known_mode) return std::nullopt;
  CublasMeaning meaning{{*operands, *result, Epilogue::kNone}, CublasScalar::kF32};
  if (*operands == DType::kF64) {
    meaning.scalar = CublasScalar::kF64;
    if (compute != CUBLAS_COMPUTE_64F) return std::nullopt;
  } else if (is_f32 && allows_tf32(compute, mode)) {
    meaning.flavour.operands = DType::kTF32;
  } else if (compute != CUBLAS_COMPUTE_32F) {
    return std::nullopt;
  }
  return encode(meaning.flavour) == 0 ? std::nullopt : std::optional(meaning);
}

std::optional<RawCall> to_raw_call(const CublasCall& call, const void* frame) {
  if (call.a == nullptr || call.b == nullptr || call.c == nullptr || call.alpha == nullptr ||
      call.beta == nullptr || (has_bias(call.meaning.flavour.epilogue) && call.bias == nullptr)) {
    return std::nullopt;
  }
  RawCall raw{.key = {.m = call.m,
                      .n = call.n,
                      .k = call.k,
                      .lda = call.lda,
                      .ldb = call.ldb,
                      .ldc = call.ldc},
              .a = call.a,
              .b = call.b,
              .c = call.c,
              .alpha = read_scalar(call.alpha, call.meaning.scalar),
              .beta = read_scalar(call.beta, call.meaning.scalar),
              .stream = call.stream,
              .bias = call.bias,
              .frame = frame};
  if (is_zero(raw.alpha)) return std::nullopt;
  if (call.batch != 1) {
    raw.key.batch = call.batch;
    raw.key.a_stride = call.a_stride;
    raw.key.b_stride = call.b_stride;
    raw.key.c_stride = call.c_stride;
  }
  raw.key.traits =
      call_traits::of_spelling({encode(call.meaning.flavour), call.transpose_a, call.transpose_b}) |
      call_traits::of_scalars(raw.alpha, raw.beta);
  return raw;
}

std::optional<CublasCall> read_lt_call(const CublasLibrary& library, const LtArguments& x) {
  if (library.describe_matmul == nullptr || library.describe_layout == nullptr ||
      !is_plain(library, x.description)) {
    return std::nullopt;
  }
  const Layout a = read_layout(library, x.a_layout), b = read_layout(library, x.b_layout),
               d = read_layout(library, x.d_layout);
  const auto meaning = read_meaning(library, x.description, a, b, d);
  if (!meaning || !is_plain(a) || !is_plain(b) || !is_plain(d) || a.batch != d.batch ||
      b.batch != d.batch) {
    return std::nullopt;
  }
  const auto ta = transpose(library, x.description, CUBLASLT_MATMUL_DESC_TRANSA);
  const auto tb = transpose(library, x.description, CUBLASLT_MATMUL_DESC_TRANSB);
  const int64_t k = ta == CUBLAS_OP_N ? a.columns : a.rows;
  const bool sizes_agree = (ta == CUBLAS_OP_N ? a.rows : a.columns) == d.rows &&
                           (tb == CUBLAS_OP_N ? b.columns : b.rows) == d.columns &&
                           (tb == CUBLAS_OP_N ? b.rows : b.columns) == k;
  const bool is_in_place = x.c == x.d && read_layout(library, x.c_layout) == d;
  const bool reads_c = x.beta == nullptr || !is_zero(read_scalar(x.beta, meaning->scalar));
  if (!sizes_agree || (reads_c && !is_in_place)) return std::nullopt;
  return CublasCall{.meaning = *meaning,
                    .transpose_a = ta,
                    .transpose_b = tb,
                    .m = d.rows,
                    .n = d.columns,
                    .k = k,
                    .a = x.a,
                    .lda = a.ld,
                    .b = x.b,
                    .ldb = b.ld,
                    .c = x.d,
                    .ldc = d.ld,
                    .batch = d.batch,
                    .a_stride = a.stride,
                    .b_stride = b.stride,
                    .c_stride = d.stride,
                    .alpha = x.alpha,
                    .beta = x.beta,
                    .bias = attribute<const void*>(library, x.description,
                                                   CUBLASLT_MATMUL_DESC_BIAS_POINTER, nullptr),
                    .stream = x.stream};
}

}  // namespace triode::host
