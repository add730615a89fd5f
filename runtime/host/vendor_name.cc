// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/vendor_name.h"

#include "runtime/host/blas_symbols.h"
#include "runtime/host/vendor.h"

namespace triode::host {

std::string vendor_name(const CallKey& key) {
  const uint16_t number = call_traits::vendor(key.traits);
  const std::string library = number == kNoVendor ? "none" : vendor(number).identity;
  return library + ' ' + std::string(traits_of(call_traits::symbol(key.traits)).name);
}

}  // namespace triode::host
