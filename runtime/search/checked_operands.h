// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/device.h"
#include "core/outcome.h"

namespace triode {

// The operands of one problem, and a way to say whether a kernel's result on them is right. Not
// thread-safe.
//
//   checked.reset_c();
//   kernel(checked.operands());
//   const Outcome outcome = checked.check();
class CheckedOperands {
 public:
  virtual ~CheckedOperands() = default;

  // In memory that this object owns. A kernel may be run on them any number of times, to be timed;
  // only the first run after reset_c() can be checked.
  virtual const Operands& operands() const = 0;

  // Puts c into the state before the call.
  virtual void reset_c() = 0;

  // kOk, or kWrongResult and where the result is wrong.
  virtual Outcome check() const = 0;
};

}  // namespace triode
