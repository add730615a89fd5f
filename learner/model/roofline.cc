// SPDX-License-Identifier: Apache-2.0
#include "learner/model/roofline.h"

namespace triode {

std::string_view to_string(Bound bound) {
  return bound == Bound::kCompute ? "compute" : "memory";
}

int64_t l2_bytes(const Target& target, int threads) {
  constexpr int64_t kUsualL2 = int64_t{1} << 20;
  return (target.l2_bytes > 0 ? target.l2_bytes : kUsualL2) * threads;
}

ProblemLimit limit_of(const Problem& problem, const Roofline& roofline, const Target& target) {
  const bool is_f64 = problem.accumulator == DType::kF64;
  ProblemLimit limit{is_f64 ? roofline.f64_gflops : roofline.f32_gflops, Bound::kCompute};
  const bool in_l2 = problem.bytes() <= static_cast<double>(l2_bytes(target, roofline.threads));
  if (in_l2 || roofline.bandwidths.empty()) return limit;
  double gb_per_s = roofline.bandwidths.front().gb_per_s;
  for (const ReadBandwidth& bandwidth : roofline.bandwidths) {
    if (static_cast<double>(bandwidth.bytes) <= problem.bytes()) gb_per_s = bandwidth.gb_per_s;
  }
  const double from_memory = problem.flops() / problem.bytes() * gb_per_s;
  if (from_memory < limit.gflops) limit = {from_memory, Bound::kMemory};
  return limit;
}

}  // namespace triode
