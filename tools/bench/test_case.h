// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/device.h"
#include "core/outcome.h"
#include "core/problem.h"
#include "core/status.h"
#include "runtime/search/checked_operands.h"
#include "runtime/search/problem_operands.h"

namespace triode::bench {

// Operands of one problem, and the result a right kernel gives for them.
class TestCase final : public CheckedOperands {
 public:
  // Computes the result by a plain loop: about a second for 2 GFLOP. Fails like
  // ProblemOperands::make().
  static Result<std::unique_ptr<TestCase>> make(const Problem& problem, std::uint64_t seed);

  const Operands& operands() const override { return memory_.operands(); }
  void reset_c() override { memory_.reset_c(); }

  // kWrongResult if an element, or a gap, is further from what it should be than
  // ProblemOperands::tolerance().
  Outcome check() const override;

 private:
  explicit TestCase(ProblemOperands memory);
  template <typename T>
  void compute_expected();
  template <typename T>
  Outcome check_as() const;

  ProblemOperands memory_;
  std::vector<double> expected_;  // all of c after the call, gaps included
};

}  // namespace triode::bench
