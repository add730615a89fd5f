// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/original_call.h"

#include <utility>
#include <vector>

#include "runtime/host/blas_symbols.h"
#include "runtime/host/call_meaning.h"
#include "runtime/host/original_functions.h"

namespace triode::host {
namespace {

// The arguments of a key in the types of one symbol, and the pointers of one call. Sizes are of 64
// bits: a function with 32-bit ones finds each in the lower half, in a register and in memory.
template <typename Scalar>
struct Arguments {
  Arguments(const CallKey& key, const Operands& operands, bool exchanged)
      : layout(call_traits::spelling(key.traits).layout),
        transpose_a(call_traits::spelling(key.traits).transpose_a),
        transpose_b(call_traits::spelling(key.traits).transpose_b),
        m(key.m),
        n(key.n),
        k(key.k),
        lda(key.lda),
        ldb(key.ldb),
        ldc(key.ldc),
        alpha(static_cast<Scalar>(operands.alpha)),
        beta(static_cast<Scalar>(operands.beta)),
        a(static_cast<const Scalar*>(exchanged ? operands.b : operands.a)),
        b(static_cast<const Scalar*>(exchanged ? operands.a : operands.b)),
        c(static_cast<Scalar*>(operands.c)) {}

  int layout, transpose_a, transpose_b;
  int64_t m, n, k, lda, ldb, ldc;
  Scalar alpha, beta;
  const Scalar* a;
  const Scalar* b;
  Scalar* c;
};

template <typename Scalar>
void call_fortran(Dialect dialect, void* original, const Arguments<Scalar>& x) {
  const char ta = static_cast<char>(x.transpose_a);
  const char tb = static_cast<char>(x.transpose_b);
  if (dialect == Dialect::kFortranGemm) {
    reinterpret_cast<FortranGemm<Scalar, int64_t>*>(original)(
        &ta, &tb, &x.m, &x.n, &x.k, &x.alpha, x.a, &x.lda, x.b, &x.ldb, &x.beta, x.c, &x.ldc, 1, 1);
  } else {
    reinterpret_cast<FortranGemv<Scalar, int64_t>*>(original)(
        &ta, &x.m, &x.n, &x.alpha, x.a, &x.lda, x.b, &x.ldb, &x.beta, x.c, &x.ldc, 1);
  }
}

template <typename Scalar>
void call_pointer_batch(void* original, const CallKey& key, const Arguments<Scalar>& x) {
  std::vector<const Scalar*> a, b;
  std::vector<Scalar*> c;
  for (int64_t i = 0; i < key.batch; ++i) {
    a.push_back(x.a + i * key.a_stride);
    b.push_back(x.b + i * key.b_stride);
    c.push_back(x.c + i * key.c_stride);
  }
  reinterpret_cast<CblasGemmBatch<Scalar, int64_t>*>(original)(
      x.layout, &x.transpose_a, &x.transpose_b, &x.m, &x.n, &x.k, &x.alpha, a.data(), &x.lda,
      b.data(), &x.ldb, &x.beta, c.data(), &x.ldc, 1, &key.batch);
}

template <typename Scalar>
void call_as(Dialect dialect, void* original, const CallKey& key, const Operands& operands,
             bool exchanged) {
  const Arguments<Scalar> x(key, operands, exchanged);
  switch (dialect) {
    case Dialect::kCblasGemm:
      return reinterpret_cast<CblasGemm<Scalar>*>(original)(x.layout, x.transpose_a, x.transpose_b,
                                                            x.m, x.n, x.k, x.alpha, x.a, x.lda, x.b,
                                                            x.ldb, x.beta, x.c, x.ldc);
    case Dialect::kCblasGemv:
      return reinterpret_cast<CblasGemv<Scalar>*>(original)(
          x.layout, x.transpose_a, x.m, x.n, x.alpha, x.a, x.lda, x.b, x.ldb, x.beta, x.c, x.ldc);
    case Dialect::kFortranGemm:
    case Dialect::kFortranGemv:
      return call_fortran(dialect, original, x);
    case Dialect::kCblasGemmBatch:
      return call_pointer_batch(original, key, x);
    case Dialect::kCblasGemmBatchStrided:
      return reinterpret_cast<CblasGemmBatchStrided<Scalar>*>(original)(
          x.layout, x.transpose_a, x.transpose_b, x.m, x.n, x.k, x.alpha, x.a, x.lda, key.a_stride,
          x.b, x.ldb, key.b_stride, x.beta, x.c, x.ldc, key.c_stride, key.batch);
    case Dialect::kCublas:
      break;  // needs a handle: who calls those has one (runtime/tuner/cublas_vendor.h)
  }
}

using Caller = void(Dialect dialect, void* original, const CallKey& key, const Operands& operands,
                    bool exchanged);

Caller* caller_for(const SymbolTraits& symbol) {
  return symbol.is_double ? call_as<double> : call_as<float>;
}

}  // namespace

void call_original(void* original, const RawCall& call) {
  const SymbolTraits& symbol = traits_of(call_traits::symbol(call.key.traits));
  caller_for(symbol)(symbol.dialect, original, call.key, operands_of(call, false), false);
}

VendorKernel bind_original(void* original, const CallKey& key, bool operands_exchanged) {
  const SymbolTraits& symbol = traits_of(call_traits::symbol(key.traits));
  auto* const call = caller_for(symbol);
  return [=, dialect = symbol.dialect](const Operands& operands) {
    call(dialect, original, key, operands, operands_exchanged);
  };
}

}  // namespace triode::host
