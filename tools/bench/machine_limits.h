// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/problem.h"
#include "core/target.h"
#include "jit/x86/vector_isa.h"

namespace triode::bench {

// Reading speed over a working set of some size.
struct ReadBandwidth {
  std::size_t bytes = 0;
  double gb_per_s = 0;
};

// What this machine can do at most, on a number of threads.
struct MachineLimits {
  int threads = 1;
  x86::IsaId isa = x86::IsaId::kAvx2;  // the widest that was measured
  double f32_gflops = 0;               // multiply-adds from registers, two operations each
  double f64_gflops = 0;
  std::vector<ReadBandwidth> bandwidths;  // by rising size, all beyond L2
};

// Measures for about a quarter of a second on otherwise idle cores. `isa` must be runnable here.
MachineLimits measure_limits(x86::IsaId isa, int threads, const Target& target);

// Clock of the first core as the system reports it; 0 if it does not.
double reported_clock_mhz();

enum class Bound : std::uint8_t { kCompute, kMemory };
std::string_view to_string(Bound bound);

// The most a problem can reach, and what holds it back.
struct ProblemLimit {
  double gflops = 0;
  Bound bound = Bound::kCompute;
};

// The FMA peak; or, if the operands exceed the L2 caches of the threads, what reading them once
// allows, where that is less. Reading is taken at the speed measured for the largest set not above
// theirs.
ProblemLimit limit_of(const Problem& problem, const MachineLimits& limits, const Target& target);

}  // namespace triode::bench
