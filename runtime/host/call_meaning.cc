// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/call_meaning.h"

#include <optional>
#include <utility>

#include "runtime/host/gpu_flavour.h"

namespace triode::host {
namespace {

// The values of cblas.h.
constexpr int32_t kRowMajor = 101;
constexpr int32_t kColumnMajor = 102;

std::optional<bool> cblas_transposed(int32_t word) {
  switch (word) {
    case 111:
      return false;
    case 112:
    case 113:  // the conjugate of a real matrix is the matrix
      return true;
    default:
      return std::nullopt;
  }
}

std::optional<bool> fortran_transposed(int32_t letter) {
  switch (letter) {
    case 'n':
    case 'N':
      return false;
    case 't':
    case 'T':
    case 'c':
    case 'C':
      return true;
    default:
      return std::nullopt;
  }
}

// The values of cublas_api.h.
std::optional<bool> cublas_transposed(int32_t operation) {
  switch (operation) {
    case 0:
      return false;
    case 1:
    case 2:  // the conjugate of a real matrix is the matrix
      return true;
    default:
      return std::nullopt;
  }
}

// What the spelling means; empty if it does not make sense.
struct Reading {
  bool is_column_major;
  bool a_transposed;
  bool b_transposed;
};

std::optional<Reading> read_cublas(const Spelling& spelling) {
  const std::optional<bool> a = cublas_transposed(spelling.transpose_a);
  const std::optional<bool> b = cublas_transposed(spelling.transpose_b);
  if (!a || !b || !decode_gpu_flavour(spelling.layout)) return std::nullopt;
  return Reading{true, *a, *b};
}

std::optional<Reading> read_spelling(const Spelling& spelling, Dialect dialect) {
  if (dialect == Dialect::kCublas) return read_cublas(spelling);
  const bool fortran = dialect == Dialect::kFortranGemm || dialect == Dialect::kFortranGemv;
  if (!fortran && spelling.layout != kRowMajor && spelling.layout != kColumnMajor) {
    return std::nullopt;
  }
  const auto transposed = fortran ? fortran_transposed : cblas_transposed;
  const std::optional<bool> a = transposed(spelling.transpose_a);
  const std::optional<bool> b = is_gemv(dialect) ? false : transposed(spelling.transpose_b);
  if (!a || !b) return std::nullopt;
  return Reading{fortran || spelling.layout == kColumnMajor, *a, *b};
}

ScalarClass beta_class(BetaKind kind) {
  switch (kind) {
    case BetaKind::kZero:
      return ScalarClass::kZero;
    case BetaKind::kOne:
      return ScalarClass::kOne;
    case BetaKind::kOther:
      break;
  }
  return ScalarClass::kOther;
}

// All but sizes and strides.
Problem blank_problem(uint64_t traits, const SymbolTraits& symbol) {
  const DType type = symbol.is_double ? DType::kF64 : DType::kF32;
  Problem problem;
  problem.a_type = problem.b_type = problem.c_type = problem.accumulator = type;
  problem.alignment_bytes = call_traits::is_aligned(traits) ? 64 : size_bytes(type);
  problem.alpha = call_traits::alpha_is_one(traits) ? ScalarClass::kOne : ScalarClass::kOther;
  problem.beta = beta_class(call_traits::beta(traits));
  problem.threads = call_traits::threads(traits);
  if (!symbol.is_on_gpu()) return problem;
  const GpuFlavour flavour =
      decode_gpu_flavour(call_traits::spelling(traits).layout).value_or(GpuFlavour{});
  problem.a_type = problem.b_type = flavour.operands;
  problem.c_type = flavour.c;
  problem.accumulator = flavour.accumulator();
  problem.epilogue = flavour.epilogue;
  if (flavour.epilogue != Epilogue::kNone) problem.op = Op::kAddmm;
  if (!call_traits::is_aligned(traits)) {
    problem.alignment_bytes = static_cast<int32_t>(size_bytes(flavour.operands));
  }
  problem.threads = 1;
  return problem;
}

void describe_gemm(const CallKey& key, const Reading& reading, CallMeaning& meaning) {
  Problem& problem = meaning.problem;
  problem.m = key.m;
  problem.n = key.n;
  problem.k = key.k;
  problem.a_transposed = reading.a_transposed;
  problem.b_transposed = reading.b_transposed;
  problem.lda = key.lda;
  problem.ldb = key.ldb;
  problem.ldc = key.ldc;
  if (key.batch != 1) {
    problem.op = Op::kBmm;
    problem.batch = key.batch;
    problem.a_batch_stride = key.a_stride;
    problem.b_batch_stride = key.b_stride;
    problem.c_batch_stride = key.c_stride;
  }
  if (reading.is_column_major) {
    problem = from_column_major(problem);
    meaning.operands_exchanged = true;
  }
}

// y = op(a) x as a product with one column; increments are the leading dimensions of x and y.
void describe_gemv(const CallKey& key, const Reading& reading, CallMeaning& meaning) {
  Problem& problem = meaning.problem;
  problem.m = reading.a_transposed ? key.n : key.m;
  problem.n = 1;
  problem.k = reading.a_transposed ? key.m : key.n;
  problem.a_transposed = reading.a_transposed != reading.is_column_major;
  problem.lda = key.lda;
  problem.ldb = key.ldb;
  problem.ldc = key.ldc;
}

bool is_believable(const Problem& problem) {
  for (const int64_t length : {problem.lda, problem.ldb, problem.ldc, problem.a_batch_stride,
                               problem.b_batch_stride, problem.c_batch_stride}) {
    if (length < 0 || length > kLongestStride) return false;
  }
  return problem.lda >= problem.min_lda() && problem.ldb >= problem.min_ldb() &&
         problem.ldc >= problem.min_ldc() && problem.validate().ok();
}

}  // namespace

CallMeaning meaning_of(const CallKey& key) {
  CallMeaning meaning;
  const SymbolTraits& symbol = traits_of(call_traits::symbol(key.traits));
  const std::optional<Reading> reading =
      read_spelling(call_traits::spelling(key.traits), symbol.dialect);
  if (!reading || key.m < 0 || key.n < 0 || key.k < 0 || key.batch < 0) return meaning;
  meaning.problem = blank_problem(key.traits, symbol);
  if (is_gemv(symbol.dialect)) {
    describe_gemv(key, *reading, meaning);
  } else {
    describe_gemm(key, *reading, meaning);
  }
  const Problem& problem = meaning.problem;
  if (!is_believable(problem)) return meaning;
  const bool is_empty = problem.m == 0 || problem.n == 0 || problem.k == 0 || problem.batch == 0;
  meaning.understanding = is_empty ? Understanding::kEmpty : Understanding::kProblem;
  return meaning;
}

}  // namespace triode::host
