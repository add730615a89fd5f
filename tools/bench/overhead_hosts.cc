// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/overhead_hosts.h"

#include <optional>

#include "runtime/host/plan_file.h"
#include "tools/bench/host_copy.h"
#include "tools/bench/host_overhead_results.h"
#include "tools/bench/overhead_plans.h"

namespace triode::bench {
namespace {

// No shape of the benchmark: a file of plans that holds nothing for this machine is warned about,
// so that of hit_vendor holds one for a call that is not made.
constexpr std::int64_t kSizeNotCalled = 3;

// Puts what was found into the file, and says in `plans` what that is.
Status find_plans(const std::vector<Problem>& problems, void* vendor_gemm, CpuDevice& device,
                  const OverheadHostOptions& options, const std::string& file,
                  std::vector<OverheadPlan>& plans) {
  std::vector<StoredPlan> found;
  for (const Problem& problem : problems) {
    options.progress("searching for a plan for " + to_string(problem));
    const std::optional<StoredPlan> plan =
        TRIODE_TRY(find_plan(device, problem, vendor_gemm, options.search_budget, options.seed));
    if (plan) {
      plans.push_back({plan->config, ""});
      found.push_back(*plan);
    } else {
      plans.push_back({"", "the search found no kernel that beats the vendor beyond the noise"});
    }
  }
  return merge_into_plan_file(file, device.target(), found);
}

}  // namespace

Result<OverheadHosts> load_overhead_hosts(const std::vector<Problem>& problems, void* vendor_gemm,
                                          CpuDevice& device, const ScratchFolder& folder,
                                          const OverheadHostOptions& options) {
  OverheadHosts all;
  const auto load = [&](const char* name, const std::vector<run::Variable>& settings,
                        bool is_answered_by_kernel) -> Status {
    const std::string file = folder.file(std::string("libtriode-") + name + ".so");
    const HostCopy copy = TRIODE_TRY(HostCopy::make(options.library, file, settings));
    all.hosts.push_back({name, copy.cblas_sgemm(), is_answered_by_kernel});
    return {};
  };
  TRIODE_TRY(load(kOff, {{"TRIODE_MODE", "off"}}, false));
  TRIODE_TRY(load(kObserve, {{"TRIODE_MODE", "observe"}}, false));

  const std::string no_plans = folder.file("no.plans");
  const Problem not_called =
      Problem::mm(DType::kF32, kSizeNotCalled, kSizeNotCalled, kSizeNotCalled);
  const std::vector<StoredPlan> unused = {
      TRIODE_TRY(unmeasured_plan(device, not_called, vendor_gemm))};
  TRIODE_TRY(merge_into_plan_file(no_plans, device.target(), unused));
  TRIODE_TRY(load(kHitVendor, {{"TRIODE_MODE", "frozen"}, {"TRIODE_PLANS", no_plans}}, false));

  const std::string found = folder.file("found.plans");
  TRIODE_TRY(merge_into_plan_file(found, device.target(), unused));
  TRIODE_TRY(find_plans(problems, vendor_gemm, device, options, found, all.plans));
  TRIODE_TRY(load(kHitOurs, {{"TRIODE_MODE", "frozen"}, {"TRIODE_PLANS", found}}, true));
  return all;
}

}  // namespace triode::bench
