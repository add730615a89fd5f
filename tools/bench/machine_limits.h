// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/target.h"
#include "jit/x86/vector_isa.h"
#include "learner/model/roofline.h"

namespace triode::bench {

// What this machine can do at most, on a number of threads.
struct MachineLimits : Roofline {
  x86::IsaId isa = x86::IsaId::kAvx2;  // the widest that was measured
};

// Measures for about a quarter of a second on otherwise idle cores. `isa` must be runnable here.
MachineLimits measure_limits(x86::IsaId isa, int threads, const Target& target);

// Clock of the first core as the system reports it; 0 if it does not.
double reported_clock_mhz();

}  // namespace triode::bench
