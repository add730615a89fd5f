// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/device.h"
#include "core/outcome.h"
#include "core/problem.h"
#include "core/status.h"
#include "runtime/search/checked_operands.h"
#include "runtime/search/problem_operands.h"

namespace triode {

// Operands of one problem, and the result that the vendor's kernel gives for them: what the program
// would have got without Triode, and at the vendor's speed, where a plain loop takes seconds.
class VendorCheckedOperands final : public CheckedOperands {
 public:
  // Runs the vendor's kernel once. The problem must be valid. Fails like ProblemOperands::make().
  static Result<std::unique_ptr<VendorCheckedOperands>> make(const Problem& problem, uint64_t seed,
                                                             const VendorKernel& vendor);

  const Operands& operands() const override { return memory_.operands(); }
  void reset_c() override { memory_.reset_c(); }

  // kWrongResult if any number in c, those in the gaps included, is further from what the vendor
  // left there than ProblemOperands::tolerance(). Where the vendor left NaN, everything is wrong.
  Outcome check() const override;

 private:
  VendorCheckedOperands(ProblemOperands memory, const VendorKernel& vendor);
  template <typename T>
  Outcome check_as() const;

  ProblemOperands memory_;
  std::vector<std::byte> expected_;  // all of c after the vendor's call
};

}  // namespace triode
