// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/blas_symbols.h"

#include <array>
#include <cstddef>

namespace triode::host {
namespace {

constexpr std::array<SymbolTraits, kSymbolCount> kTraits = {{
#define X(symbol, dialect, Scalar, Int) \
  {#symbol, Dialect::dialect, sizeof(Scalar) == sizeof(double), sizeof(Int) == 8},
    TRIODE_BLAS_SYMBOLS
#undef X
#define X(symbol) {#symbol, Dialect::kCublas, false, false},
        TRIODE_CUBLAS_SYMBOLS
#undef X
}};

}  // namespace

const SymbolTraits& traits_of(Symbol symbol) {
  return kTraits[static_cast<size_t>(symbol)];
}

}  // namespace triode::host
