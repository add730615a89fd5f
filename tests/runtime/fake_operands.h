// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/problem.h"
#include "runtime/search/checked_operands.h"

namespace triode {

// Small whole numbers for what a FakeDevice can run: an f32 mm with tight rows, nothing transposed,
// alpha one and beta zero.
class FakeOperands final : public CheckedOperands {
 public:
  explicit FakeOperands(const Problem& problem);

  const Operands& operands() const override { return operands_; }
  void reset_c() override;
  Outcome check() const override;

 private:
  std::vector<float> a_, b_, c_;
  std::vector<float> expected_;
  Operands operands_;
};

}  // namespace triode
