// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/vendor_call.h"

#include <optional>
#include <string>

#include "runtime/host/blas_symbols.h"
#include "runtime/host/call_meaning.h"
#include "runtime/host/original_call.h"

namespace triode::tuner {
namespace {

using host::Symbol;

std::optional<Symbol> symbol_named(const std::string& name) {
  for (int i = 0; i < host::kSymbolCount; ++i) {
    if (host::traits_of(static_cast<Symbol>(i)).name == name) return static_cast<Symbol>(i);
  }
  return std::nullopt;
}

// The key with this version's number of the symbol, whatever the sender's was.
std::optional<host::CallKey> own_key(const VendorCall& call) {
  const std::optional<Symbol> symbol = symbol_named(call.symbol);
  if (!symbol) return std::nullopt;
  host::CallKey key = call.key;
  constexpr uint64_t kNotOurs =
      uint64_t{0xff} << host::call_traits::kSymbol | uint64_t{0xffff} << host::call_traits::kVendor;
  key.traits = (key.traits & ~kNotOurs) | host::call_traits::of_site(*symbol, 0);
  return key;
}

}  // namespace

Result<Problem> problem_of(const VendorCall& call) {
  const std::optional<host::CallKey> key = own_key(call);
  if (!key) return unsupported("no function " + call.symbol + " is known to this tuner");
  const host::CallMeaning meaning = host::meaning_of(*key);
  if (meaning.understanding != host::Understanding::kProblem) {
    return unsupported("a call of " + call.symbol + " with these arguments is no matmul");
  }
  TRIODE_TRY(meaning.problem.validate());
  return meaning.problem;
}

VendorKernel bind_vendor(const VendorCall& call, void* function) {
  const host::CallKey key = own_key(call).value_or(call.key);
  return host::bind_original(function, key, host::meaning_of(key).operands_exchanged);
}

}  // namespace triode::tuner
