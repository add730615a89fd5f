// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/overhead_plans.h"

#include "core/clock.h"
#include "jit/x86/gemm_space.h"
#include "runtime/host/call_meaning.h"
#include "runtime/host/local_search.h"
#include "runtime/host/original_call.h"
#include "runtime/host/raw_call.h"
#include "runtime/host/vendor.h"
#include "runtime/host/vendor_name.h"

namespace triode::bench {
namespace {

constexpr host::Spelling kRowMajorNotTransposed{101, 111, 111};

// The key of the call on aligned pointers, alpha 1 and beta 0.
host::CallKey key_of(const Problem& problem, const void* vendor_gemm) {
  namespace traits = host::call_traits;
  const uint16_t vendor = host::vendor_of_function(vendor_gemm);
  host::CallKey key{.m = problem.m,
                    .n = problem.n,
                    .k = problem.k,
                    .lda = problem.lda,
                    .ldb = problem.ldb,
                    .ldc = problem.ldc};
  key.traits = traits::of_spelling(kRowMajorNotTransposed) | traits::of_scalars(1.0, 0.0) |
               traits::of_site(host::Symbol::k_cblas_sgemm, vendor) |
               uint64_t{1} << traits::kAligned | uint64_t{1} << traits::kThreads;
  return key;
}

}  // namespace

Result<std::optional<StoredPlan>> find_plan(CpuDevice& device, const Problem& problem,
                                            void* vendor_gemm, std::chrono::nanoseconds budget,
                                            std::uint64_t seed) {
  const host::CallKey key = key_of(problem, vendor_gemm);
  const host::CallMeaning meaning = host::meaning_of(key);
  LocalSearchOptions options;
  options.budget = budget;
  options.seed = seed;
  LocalSearch search(device, options, steady_clock());
  const std::string vendor = host::vendor_name(key);
  const TuningRequest request{meaning.problem, vendor,
                              host::bind_original(vendor_gemm, key, meaning.operands_exchanged)};
  const std::optional<FoundPlan> found = TRIODE_TRY(search.find(request, nullptr));
  if (!found) return std::optional<StoredPlan>();
  return std::optional<StoredPlan>({.problem = meaning.problem,
                                    .config = found->config_text,
                                    .vendor = vendor,
                                    .code_digest = found->code_digest,
                                    .speedup = found->speedup,
                                    .vendor_ns = found->vendor_ns,
                                    .plan_ns = found->plan_ns});
}

Result<StoredPlan> unmeasured_plan(CpuDevice& device, const Problem& problem, void* vendor_gemm) {
  const host::CallKey key = key_of(problem, vendor_gemm);
  const Problem meant = host::meaning_of(key).problem;
  const Space space = TRIODE_TRY(device.enumerate(meant));
  StoredPlan plan;
  plan.problem = meant;
  plan.config = space.to_string(x86::promising_configs(space, meant).front());
  plan.vendor = host::vendor_name(key);
  return plan;
}

}  // namespace triode::bench
