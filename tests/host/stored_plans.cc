// SPDX-License-Identifier: Apache-2.0
#include "tests/host/stored_plans.h"

#include <bit>
#include <cmath>
#include <string>

#include "tests/core/random_problem.h"

namespace triode {
namespace {

// Of all lengths, with every byte from a space up.
std::string random_text(Random& random) {
  std::string text;
  const uint64_t length = 1 + random.below(60);
  for (uint64_t i = 0; i < length; ++i) text += static_cast<char>(' ' + random.below(256 - ' '));
  return text;
}

// From all there are: tiny, huge, denormal, whole.
double random_number(Random& random) {
  if (random.below(4) == 0) return static_cast<double>(random.below(1000));
  const double number = std::bit_cast<double>(random.next() >> 1);
  return std::isfinite(number) ? number : 0;
}

}  // namespace

Target some_target(int32_t cores) {
  Target target;
  target.device = "Some | Processor\twith a tab";
  target.isa = "avx2";
  target.toolchain = "emitter 1";
  target.cores = cores;
  return target;
}

StoredPlan plan_for_size(int64_t size) {
  StoredPlan plan;
  plan.problem = Problem::mm(DType::kF32, size, size, size);
  plan.config = "isa=avx2 mr=6 nr=16";
  plan.vendor = "libblas.so.3 00ff cblas_sgemm";
  plan.code_digest = 0x0123456789abcdefu;
  plan.speedup = 1.1;
  plan.vendor_ns = 1100.5;
  plan.plan_ns = 1000;
  return plan;
}

StoredPlan random_plan(Random& random) {
  StoredPlan plan;
  plan.problem = random_problem(random);
  plan.config = random_text(random);
  plan.vendor = random_text(random);
  plan.code_digest = random.next();
  plan.speedup = random_number(random);
  plan.vendor_ns = random_number(random);
  plan.plan_ns = random_number(random);
  return plan;
}

}  // namespace triode
