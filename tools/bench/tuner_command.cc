// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/tuner_command.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <utility>

#include "core/clock.h"
#include "runtime/device/cpu_device.h"
#include "runtime/host/kept_plans.h"
#include "runtime/host/plan_file.h"
#include "tools/bench/command_line.h"
#include "tools/bench/machine_limits.h"
#include "tools/bench/peers.h"
#include "tools/bench/scratch_folder.h"
#include "tools/bench/tuner_calls_command.h"
#include "tools/bench/tuner_interference.h"
#include "tools/bench/tuner_json.h"
#include "tools/bench/tuner_options.h"
#include "tools/bench/tuner_programs.h"
#include "tools/bench/tuner_session.h"
#include "tools/bench/tuner_shapes.h"
#include "tools/bench/tuner_table.h"

namespace triode::bench {
namespace {

// Far more than a search takes on a machine with a free core.
constexpr std::chrono::seconds kMostPerShape(4);
constexpr std::chrono::seconds kMostAtStart(60);
// Shapes of the watched foreground, and the largest size in them: calls of microseconds, of which a
// window holds thousands.
constexpr std::size_t kForegroundShapes = 8;
constexpr std::int64_t kForegroundSize = 192;
// Shapes whose legal configs are counted, which takes a second each: the median is steady.
constexpr std::size_t kCountedSpaces = 15;
// Of first calls: longer calls differ among themselves by more than what is looked for.
constexpr std::int64_t kFirstCallSize = 48;

std::string whole_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A BLAS that is here, and how programs must be told to use the kernels that fit this machine.
struct Vendor {
  PeerUsed used;
  std::vector<run::Variable> variables;
};

Result<Vendor> find_vendor(const std::string& name, const std::string& venv) {
  const std::unique_ptr<Peer> peer = TRIODE_TRY(load_peer(name, venv));
  Vendor vendor{{peer->name(), peer->version(), peer->path(), peer->core(), peer->mistaken_core()},
                {{"OPENBLAS_NUM_THREADS", "1"}}};
  if (!peer->mistaken_core().empty()) {
    vendor.variables.push_back({"OPENBLAS_CORETYPE", peer->core()});
  }
  return vendor;
}

class TunerBench {
 public:
  TunerBench(TunerBenchOptions options, std::ostream& out, std::ostream& err)
      : options_(std::move(options)), out_(out), err_(err) {}

  Status run() {
    const std::unique_ptr<CpuDevice> device = TRIODE_TRY(CpuDevice::create());
    results_.target = device->target();
    results_.clock_mhz_begin = reported_clock_mhz();
    results_.seed = options_.seed;
    results_.rounds = options_.rounds;
    const ScratchFolder folder = TRIODE_TRY(ScratchFolder::make());
    folder_ = folder.path();
    const std::vector<Vendor> vendors = TRIODE_TRY(find_vendors());
    if (options_.parts.contains("pairs")) {
      for (const Vendor& vendor : vendors) TRIODE_TRY(measure_pairs(vendor));
      TRIODE_TRY(count_spaces(*device));
    }
    if (options_.parts.contains("convergence")) TRIODE_TRY(measure_convergence(vendors[0]));
    if (options_.parts.contains("interference")) TRIODE_TRY(watch_foreground(vendors[0]));
    if (options_.parts.contains("first-calls")) TRIODE_TRY(measure_first_calls(vendors[0]));
    if (options_.parts.contains("programs")) TRIODE_TRY(run_programs());
    if (was_interrupted()) return unavailable("interrupted");
    report();
    return {};
  }

 private:
  void progress(const std::string& text) {
    if (!options_.quiet) err_ << text << std::endl;
  }
  std::string file(const std::string& name) const { return folder_ + "/" + name; }

  Result<std::vector<Vendor>> find_vendors() {
    std::vector<Vendor> vendors;
    for (const std::string& name : options_.vendors) {
      Result<Vendor> vendor = find_vendor(name, options_.venv);
      if (vendor.ok()) {
        vendors.push_back(std::move(vendor).take());
      } else {
        results_.left_out.push_back(vendor.status().message());
      }
    }
    if (vendors.empty()) return not_found(results_.left_out.front());
    return vendors;
  }

  TunerCalls calls(const std::string& what, const Vendor& vendor, std::size_t shapes) const {
    TunerCalls calls;
    calls.what = what;
    calls.vendor = vendor.used.name;
    calls.venv = options_.venv;
    calls.output = file(what);
    calls.shapes = shapes;
    calls.largest = kLargestSize;
    calls.seed = options_.seed;
    calls.rounds = options_.rounds;
    return calls;
  }

  // Lets a program run until its tuner has nothing left to do.
  Result<SearchEffort> settle(const TunerSession& session, const TunerCalls& what) {
    const auto before = session.counts().value_or(TunerCounts()).effort;
    const std::chrono::nanoseconds begin = steady_clock().now();
    ChildProcess program = TRIODE_TRY(session.start("tune", tuner_calls_command(what)));
    std::string said;
    while (said != "ready" && !has_ended(program.id()) && !was_interrupted()) {
      said = program.read_line();
    }
    const bool is_idle = session.wait_until_idle(
        program, kMostAtStart + kMostPerShape * static_cast<int>(what.shapes));
    const std::optional<TunerCounts> counts = session.counts();
    TRIODE_TRY(finish(program));
    if (!counts) return unavailable("no tuner answered; see triode tuner logs");
    SearchEffort effort = counts->effort;
    effort.searches -= before.searches;
    effort.trials -= before.trials;
    effort.plans_found -= before.plans_found;
    effort.vendor_stays -= before.vendor_stays;
    effort.withdrawals -= before.withdrawals;
    effort.is_complete = is_idle;
    effort.seconds = std::chrono::duration<double>(steady_clock().now() - begin).count();
    return effort;
  }

  // How many of the shapes a program calls have a plan.
  std::size_t plans_for(const std::string& cache, const TunerCalls& what) const {
    const Result<PlanFile> file = read_plan_file(host::kept_plans_path(cache));
    std::set<std::array<std::int64_t, 3>> planned;
    if (!file.ok()) return 0;
    for (const StoredPlan& plan : file->plans_for(results_.target)) {
      planned.insert({plan.problem.m, plan.problem.n, plan.problem.k});
    }
    std::size_t count = 0;
    for (const Problem& shape : tuner_shapes(what.shapes, what.seed, what.largest)) {
      count += planned.contains({shape.m, shape.n, shape.k}) ? 1 : 0;
    }
    return count;
  }

  // Runs a calling program to its end; what it wrote.
  Result<std::string> output_of_calls(const TunerSession& session, const TunerCalls& what) const {
    ChildProcess program = TRIODE_TRY(session.start("tune", tuner_calls_command(what)));
    TRIODE_TRY(await_end(program));
    return whole_file(what.output);
  }

  Status measure_pairs(const Vendor& vendor) {
    const std::string cache =
        (options_.cache.empty() ? file("cache") : options_.cache) + "/" + vendor.used.name;
    const TunerSession session = TRIODE_TRY(TunerSession::open(cache, vendor.variables));
    progress("tuning " + std::to_string(options_.shapes) + " shapes against " + vendor.used.name);
    VendorPairs pairs;
    pairs.vendor = vendor.used;
    pairs.effort = TRIODE_TRY(settle(session, calls("settle", vendor, options_.shapes)));
    progress("timing them in pairs");
    TunerCalls what = calls("pairs", vendor, options_.shapes);
    what.plans = pairs.plans = plans_for(cache, what);
    const std::string written = TRIODE_TRY(output_of_calls(session, what));
    pairs.shapes = TRIODE_TRY(read_pairs(written));
    results_.vendors.push_back(std::move(pairs));
    return {};
  }

  Status count_spaces(const CpuDevice& device) {
    progress("counting what an exhaustive search would try");
    const std::size_t count = std::min(options_.shapes, kCountedSpaces);
    for (const Problem& problem : tuner_shapes(count, options_.seed)) {
      results_.space_sizes.push_back(TRIODE_TRY(device.enumerate(problem)).count_legal());
    }
    return {};
  }

  Status measure_convergence(const Vendor& vendor) {
    progress("tuning " + std::to_string(options_.convergence_shapes) + " shapes from nothing");
    const TunerSession session =
        TRIODE_TRY(TunerSession::open(file("convergence"), vendor.variables));
    const TunerCalls what = calls("settle", vendor, options_.convergence_shapes);
    Convergence convergence;
    convergence.shapes = options_.convergence_shapes;
    convergence.effort = TRIODE_TRY(settle(session, what));
    convergence.rounds = TRIODE_TRY(read_rounds(whole_file(what.output)));
    results_.convergence = std::move(convergence);
    return {};
  }

  Status watch_foreground(const Vendor& vendor) {
    progress("watching a program while others of its shapes are tuned");
    const TunerSession session =
        TRIODE_TRY(TunerSession::open(file("interference"), vendor.variables));
    TunerCalls what = calls("settle", vendor, kForegroundShapes);
    what.largest = kForegroundSize;
    TRIODE_TRY(settle(session, what));
    what.what = "foreground";
    what.output = file(what.what);
    what.plans = plans_for(file("interference"), what);
    what.unseen = options_.unseen_shapes;
    results_.windows = TRIODE_TRY(measure_interference(session, what, options_));
    return {};
  }

  Status measure_first_calls(const Vendor& vendor) {
    progress("making first calls of " + std::to_string(options_.first_calls) + " shapes");
    const TunerSession session =
        TRIODE_TRY(TunerSession::open(file("first-calls-cache"), vendor.variables));
    TunerCalls what = calls("first-calls", vendor, options_.first_calls);
    what.largest = kFirstCallSize;
    const std::string written = TRIODE_TRY(output_of_calls(session, what));
    results_.first_calls = TRIODE_TRY(read_first_calls(written));
    return {};
  }

  Status run_programs() {
    auto measured =
        measure_programs(options_, folder_, [this](const std::string& text) { progress(text); });
    if (!measured.ok()) {
      results_.left_out.push_back(measured.status().message());
      return {};
    }
    results_.python = measured->python;
    results_.programs = measured->programs;
    return {};
  }

  void report() {
    results_.clock_mhz_end = reported_clock_mhz();
    const TunerSummary summary = summarize(results_);
    out_ << (options_.json ? tuner_json(results_, summary) : tuner_table(results_, summary));
  }

  const TunerBenchOptions options_;
  std::ostream& out_;
  std::ostream& err_;
  std::string folder_;
  TunerResults results_;
};

}  // namespace

int run_tuner(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
  const Result<TunerBenchOptions> options = parse_tuner_options(arguments);
  if (const auto answered = answer_without_measuring(options, out, err)) return *answered;
  catch_interruptions();
  const Status status = TunerBench(*options, out, err).run();
  return status.ok() ? kDone : complain(status, kFailed, err);
}

}  // namespace triode::bench
