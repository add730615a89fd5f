// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/problem.h"
#include "core/status.h"
#include "runtime/device/cpu_device.h"
#include "tools/bench/scratch_folder.h"

namespace triode::bench {

// A cblas_sgemm with Triode in front of the vendor's.
struct OverheadHost {
  std::string name;  // kOff, kObserve, kHitVendor or kHitOurs
  void* cblas_sgemm = nullptr;
  bool is_answered_by_kernel = false;  // else by the vendor
};

// The plan of hit_ours for one problem.
struct OverheadPlan {
  std::string config;  // empty: there is none
  std::string remark;  // why
};

struct OverheadHosts {
  std::vector<OverheadHost> hosts;
  std::vector<OverheadPlan> plans;  // one for each problem
};

struct OverheadHostOptions {
  std::string library;                                                      // libtriode.so
  std::chrono::nanoseconds search_budget = std::chrono::milliseconds(400);  // per problem
  std::uint64_t seed = 1;                                                   // of the search
  std::function<void(const std::string& text)> progress;
};

// Searches for a plan for each problem, and loads a copy of Triode for each way a call can go:
//   off         mode off;
//   observe     mode observe;
//   hit_vendor  mode frozen, where a call without a plan goes the way of one in mode tune for which
//               the search has found nothing, with no search beside it;
//   hit_ours    mode frozen, with the plans that were found.
// The vendor must be loaded. Files are in `folder` until this returns.
Result<OverheadHosts> load_overhead_hosts(const std::vector<Problem>& problems, void* vendor_gemm,
                                          CpuDevice& device, const ScratchFolder& folder,
                                          const OverheadHostOptions& options);

}  // namespace triode::bench
