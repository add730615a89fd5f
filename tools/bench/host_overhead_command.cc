// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/host_overhead_command.h"

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <ostream>
#include <utility>

#include "runtime/device/cpu_device.h"
#include "runtime/device/usable_cores.h"
#include "tools/bench/command_line.h"
#include "tools/bench/host_overhead_json.h"
#include "tools/bench/host_overhead_options.h"
#include "tools/bench/host_overhead_results.h"
#include "tools/bench/host_overhead_summary.h"
#include "tools/bench/host_overhead_table.h"
#include "tools/bench/machine_limits.h"
#include "tools/bench/overhead_contest.h"
#include "tools/bench/overhead_hosts.h"
#include "tools/bench/peers.h"
#include "tools/bench/scratch_folder.h"
#include "tools/bench/stepped_hits.h"
#include "tools/run/preload.h"

namespace triode::bench {
namespace {

// Where the cost of a call counts. Larger products drown it.
constexpr std::int64_t kSizes[] = {4, 8, 16, 32, 64};

constexpr const char* kNotAskedFor = "not asked for";

std::vector<Problem> problems() {
  std::vector<Problem> list;
  for (const std::int64_t size : kSizes) list.push_back(Problem::mm(DType::kF32, size, size, size));
  return list;
}

// The libtriode.so asked for, else the one `triode run` would preload.
Result<std::string> find_triode(const HostOverheadOptions& options) {
  if (!options.library.empty()) return run::find_library({options.library});
  return run::find_library(run::library_candidates(TRIODE_TRY(run::own_folder())));
}

// A BLAS in the global scope would be what the copies of Triode find behind them.
Status check_nothing_preloaded() {
  void* const gemm = dlsym(RTLD_DEFAULT, "cblas_sgemm");
  if (gemm == nullptr) return {};
  Dl_info where{};
  const bool is_known = dladdr(gemm, &where) != 0 && where.dli_fname != nullptr;
  return unsupported(std::string("this process has a cblas_sgemm already, in ") +
                     (is_known ? where.dli_fname : "an unknown place") +
                     "; run without LD_PRELOAD");
}

// One run of the benchmark, from loading the libraries to the report.
class HostOverheadRun {
 public:
  HostOverheadRun(const HostOverheadOptions& options, std::ostream& out, std::ostream& err)
      : options_(options), out_(out), err_(err), table_(out) {}

  Status run() {
    TRIODE_TRY(check_nothing_preloaded());
    results_.library = TRIODE_TRY(find_triode(options_));
    const std::unique_ptr<CpuDevice> device = TRIODE_TRY(CpuDevice::create());
    const std::unique_ptr<Peer> vendor = TRIODE_TRY(load_peer("openblas", ""));
    vendor->set_threads(1);
    describe(*device, *vendor);
    const OverheadHosts hosts = TRIODE_TRY(load_hosts(*device, *vendor));
    if (!options_.json) table_.begin(results_);
    for (const int threads : options_.threads) TRIODE_TRY(time_shapes(hosts, *vendor, threads));
    const ScratchFolder folder = TRIODE_TRY(ScratchFolder::make());
    count_instructions(folder.path());
    measure_startup(folder.path());
    report();
    return {};
  }

 private:
  void progress(const std::string& text) {
    if (!options_.quiet) err_ << text << std::endl;
  }

  void describe(const CpuDevice& device, const Peer& vendor) {
    results_.target = device.target();
    results_.clock_mhz_begin = reported_clock_mhz();
    results_.seed = options_.seed;
    results_.budget_s = options_.budget_s;
    results_.vendor = {vendor.name(), vendor.version(), vendor.path(), vendor.core(),
                       vendor.mistaken_core()};
  }

  Result<OverheadHosts> load_hosts(CpuDevice& device, const Peer& vendor) {
    const ScratchFolder folder = TRIODE_TRY(ScratchFolder::make());
    OverheadHostOptions hosts;
    hosts.library = results_.library;
    hosts.search_budget = std::chrono::duration_cast<std::chrono::nanoseconds>(
        std::chrono::duration<double>(options_.budget_s));
    hosts.seed = options_.seed;
    hosts.progress = [this](const std::string& text) { progress(text); };
    return load_overhead_hosts(problems(), vendor.f32_gemm(), device, folder, hosts);
  }

  Status time_shapes(const OverheadHosts& hosts, const Peer& vendor, int threads) {
    const CacheMissCounters counters;
    results_.misses_remark = counters.remark();
    const OverheadContestOptions contest{
        .threads = threads, .rounds = options_.rounds, .seed = options_.seed};
    const std::vector<Problem> all = problems();
    for (std::size_t i = 0; i < all.size(); ++i) {
      progress("timing " + to_string(all[i]) + " on " + std::to_string(threads) +
               (threads == 1 ? " thread" : " threads"));
      results_.shapes.push_back(
          TRIODE_TRY(hold_overhead_contest(all[i], vendor.f32_gemm(), hosts.hosts, hosts.plans[i],
                                           contest, threads == 1 ? &counters : nullptr)));
      if (!options_.json) table_.row(results_.shapes.back());
    }
    return {};
  }

  void count_instructions(const std::string& folder) {
    HitInstructions& counted = results_.instructions;
    counted.stepped_remark = counted.callgrind_remark = kNotAskedFor;
    if (options_.counted_calls == 0) return;
    progress("counting instructions");
    auto stepped = step_through_hits(results_.library, options_.counted_calls, folder);
    counted.stepped_remark = stepped.ok() ? "" : stepped.status().message();
    if (stepped.ok()) counted.stepped = std::move(stepped).take();
    auto callgrind = count_hits_by_callgrind(results_.library, options_.counted_calls, folder);
    counted.callgrind_remark = callgrind.ok() ? "" : callgrind.status().message();
    if (callgrind.ok()) counted.callgrind = std::move(callgrind).take();
  }

  void measure_startup(const std::string& folder) {
    results_.startup_remark = kNotAskedFor;
    if (options_.start_rounds == 0) return;
    progress("starting python3 " + std::to_string(options_.start_rounds * kStartsPerRound) +
             " times with and without");
    auto startup = measure_preload_startup(results_.library, results_.vendor.path,
                                           options_.start_rounds, folder);
    results_.startup_remark = startup.ok() ? "" : startup.status().message();
    if (startup.ok()) results_.startup = std::move(startup).take();
  }

  void report() {
    results_.clock_mhz_end = reported_clock_mhz();
    const HostOverheadSummary summary = summarize(results_);
    if (options_.json) {
      out_ << host_overhead_json(results_, summary);
    } else {
      table_.end(results_, summary);
    }
  }

  const HostOverheadOptions& options_;
  std::ostream& out_;
  std::ostream& err_;
  HostOverheadTable table_;
  HostOverheadResults results_;
};

Status check_cores(const HostOverheadOptions& options) {
  const int most = *std::max_element(options.threads.begin(), options.threads.end());
  if (most <= usable_cores()) return {};
  return invalid_argument("--threads: this process may use one core");
}

}  // namespace

int run_host_overhead(const std::vector<std::string>& arguments, std::ostream& out,
                      std::ostream& err) {
  const Result<HostOverheadOptions> options = parse_host_overhead_options(arguments);
  if (const auto answered = answer_without_measuring(options, out, err)) return *answered;
  if (const Status status = check_cores(*options); !status.ok()) {
    return complain(status, kWrongUsage, err);
  }
  const Status status = HostOverheadRun(*options, out, err).run();
  return status.ok() ? kDone : complain(status, kFailed, err);
}

}  // namespace triode::bench
