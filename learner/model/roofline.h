// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/problem.h"
#include "core/target.h"

namespace triode {

// Reading speed over a working set of some size.
struct ReadBandwidth {
  int64_t bytes = 0;
  double gb_per_s = 0;
};

// What a machine can do at most on a number of threads, measured: the part of every estimate that
// needs no training.
struct Roofline {
  int threads = 1;
  double f32_gflops = 0;  // multiply-adds from registers, two operations each
  double f64_gflops = 0;
  std::vector<ReadBandwidth> bandwidths;  // by rising size, all beyond L2
};

enum class Bound : uint8_t { kCompute, kMemory };
std::string_view to_string(Bound bound);

// The most a problem can reach, and what holds it back.
struct ProblemLimit {
  double gflops = 0;
  Bound bound = Bound::kCompute;
};

// The peak; or, if the operands exceed the L2 caches of the threads, what reading them once allows,
// where that is less. Reading is taken at the speed measured for the largest set not above theirs.
ProblemLimit limit_of(const Problem& problem, const Roofline& roofline, const Target& target);

// L2 of all threads together; 1 MiB each where the target does not say.
int64_t l2_bytes(const Target& target, int threads);

}  // namespace triode
