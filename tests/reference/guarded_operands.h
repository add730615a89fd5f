// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/device.h"
#include "core/problem.h"
#include "tests/reference/guarded_matrix.h"

namespace triode {

// The three matrices of a problem, each against a guard page, filled with values that depend on the
// seed.
class GuardedOperands {
 public:
  // `offset_bytes` moves each matrix away from its guard.
  GuardedOperands(const Problem& problem, Guard guard, uint64_t seed, size_t offset_bytes = 0);

  GuardedMatrix& a() { return a_; }
  GuardedMatrix& b() { return b_; }
  GuardedMatrix& c() { return c_; }

  Operands operands(double alpha, double beta);

  // What Problem::alignment_bytes is for these pointers.
  int32_t alignment_bytes();

  // Runs `call` while a and b cannot be written. Empty if it stayed inside the matrices; else what
  // it did: the fault and where it lies, or the write found afterwards.
  std::optional<std::string> find_trespass(const std::function<void()>& call);

 private:
  std::string describe(uintptr_t address) const;

  GuardedMatrix a_;
  GuardedMatrix b_;
  GuardedMatrix c_;
};

}  // namespace triode
