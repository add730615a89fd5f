// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/held_vendor.h"

#include "runtime/host/call_sites.h"
#include "runtime/host/loaded_object.h"

namespace triode::host {

// The reference comes first: what is there with it stays.
HeldVendor::HeldVendor(const void* function, uint16_t vendor_number)
    : function_(function),
      vendor_(vendor(vendor_number)),
      library_(std::in_place, vendor_.path),
      is_held_(library_->is_loaded() && is_there()) {}

HeldVendor::~HeldVendor() {
  library_.reset();
  // The program's dlclose() came before this one, and the library may have called others since.
  if (is_held_ && !is_there()) the_call_sites.forget_all();
}

bool HeldVendor::is_there() const {
  const std::optional<LoadedObject> object = object_at(function_);
  return object && object->identity() == vendor_.identity;
}

}  // namespace triode::host
