// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "runtime/host/library_reference.h"
#include "runtime/host/vendor.h"

namespace triode::host {

// A vendor's library, held while somebody calls its function from outside of any call of the
// program's: the program may close the library meanwhile. It is then closed when this ends.
class HeldVendor {
 public:
  // `function` was found in the vendor of this number.
  HeldVendor(const void* function, uint16_t vendor_number);
  HeldVendor(const HeldVendor&) = delete;
  HeldVendor& operator=(const HeldVendor&) = delete;
  ~HeldVendor();

  // False if the library was closed already: nobody may call the function.
  bool is_held() const { return is_held_; }

 private:
  bool is_there() const;

  const void* function_;
  const Vendor& vendor_;
  std::optional<LibraryReference> library_;
  bool is_held_;
};

}  // namespace triode::host
