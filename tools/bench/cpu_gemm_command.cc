// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/cpu_gemm_command.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <ostream>

#include "cache/measurement_store.h"
#include "core/clock.h"
#include "jit/x86/vector_isa.h"
#include "runtime/device/cpu_device.h"
#include "tools/bench/command_line.h"
#include "tools/bench/cpu_gemm_options.h"
#include "tools/bench/peers.h"
#include "tools/bench/report_json.h"
#include "tools/bench/report_table.h"
#include "tools/bench/saved_configs.h"
#include "tools/bench/search_memory.h"
#include "tools/bench/shape_benchmark.h"
#include "tools/bench/shape_sets.h"
#include "tools/bench/summary.h"

namespace triode::bench {
namespace {

using Seconds = std::chrono::duration<double>;

// The demo ends within two minutes; ten seconds of them are for what cannot be planned.
constexpr double kDemoSeconds = 110;
constexpr double kDemoContestSeconds =
    1.5;  // timing one shape against one peer, with its reference result
constexpr double kDemoMostBudget = 6;
constexpr double kDemoLeastBudget = 0.2;
constexpr int kDemoRounds = 21;

Result<std::vector<Shape>> gather_shapes(const CpuGemmOptions& options) {
  std::vector<Shape> shapes;
  const auto append = [&shapes](const std::vector<Shape>& more) {
    shapes.insert(shapes.end(), more.begin(), more.end());
  };
  if (!options.shapes_file.empty()) {
    append(TRIODE_TRY(read_shapes_file(options.shapes_file, options.dtype)));
  }
  if (options.random > 0) append(random_shapes(options.random, options.seed, options.dtype));
  const std::string set = options.demo ? "quick" : options.set;
  if (!set.empty() || shapes.empty()) {
    append(TRIODE_TRY(shapes_of_set(set.empty() ? "reference" : set, options.dtype)));
  }
  return shapes;
}

// The widest of those the device uses.
x86::IsaId widest(std::span<const x86::IsaId> isas) {
  return *std::max_element(isas.begin(), isas.end(), [](x86::IsaId x, x86::IsaId y) {
    return x86::describe(x).vector_bytes < x86::describe(y).vector_bytes;
  });
}

std::size_t longest_name(const std::vector<Shape>& shapes) {
  constexpr std::size_t kTransposes = 3;  // may be added to each
  std::size_t longest = 0;
  for (const Shape& shape : shapes) {
    longest = std::max(longest, display_name(shape).size() + kTransposes);
  }
  return longest;
}

// One run of the benchmark, from loading the peers to the report.
class CpuGemmRun {
 public:
  CpuGemmRun(const CpuGemmOptions& options, std::vector<Shape> shapes,
             std::unique_ptr<CpuDevice> device, std::ostream& out, std::ostream& err)
      : options_(options),
        shapes_(std::move(shapes)),
        device_(std::move(device)),
        out_(out),
        err_(err),
        table_(out, longest_name(shapes_)),
        demo_table_(out),
        begin_(steady_clock().now()) {}

  Status run() {
    describe_run();
    TRIODE_TRY(open_files());
    load_peers();
    std::vector<const Peer*> peers;
    for (const auto& peer : peers_) peers.push_back(peer.get());
    benchmark_ = std::make_unique<ShapeBenchmark>(*device_, peers, saved_.get(), memory_.get());
    measure_machine();
    begin_report();
    for (std::size_t pass = 0; pass < results_.limits.size(); ++pass) run_pass(pass);
    end_report();
    report_damage();
    if (results_.shapes.empty()) return unsupported("no shape could be measured");
    return {};
  }

 private:
  void progress(const std::string& text) {
    if (!options_.quiet) err_ << text << std::endl;
  }

  int many_threads() const {
    return options_.threads > 0 ? options_.threads : device_->target().cores;
  }

  void describe_run() {
    results_.target = device_->target();
    results_.clock_mhz_begin = reported_clock_mhz();
    results_.seed = options_.seed;
    results_.budget_s = options_.budget_s;
    results_.exhaustive = options_.exhaustive;
  }

  // Before anything that takes long, so that a wrong path shows at once.
  Status open_files() {
    if (!options_.configs_file.empty()) {
      saved_ = std::make_unique<SavedConfigs>(
          TRIODE_TRY(SavedConfigs::open(options_.configs_file, device_->target())));
    }
    if (!options_.cache_folder.empty()) {
      store_ = TRIODE_TRY(MeasurementStore::open(options_.cache_folder, StoreMode::kReadWrite));
      memory_ = std::make_unique<SearchMemory>(*store_, device_->target());
    }
    return {};
  }

  // The demo compares with one library: the first there is.
  void load_peers() {
    for (const std::string& name : options_.peers) {
      if (options_.demo && !peers_.empty()) return;
      Result<std::unique_ptr<Peer>> peer = load_peer(name, options_.venv);
      if (!peer.ok()) {
        progress("peer " + name + " is left out: " + peer.status().message());
        results_.missing_peers.push_back({name, peer.status().message()});
        continue;
      }
      results_.peers.push_back({(*peer)->name(), (*peer)->version(), (*peer)->path(),
                                (*peer)->core(), (*peer)->mistaken_core()});
      peers_.push_back(std::move(peer).take());
    }
  }

  void measure_machine() {
    const auto all = x86::runnable_isas();
    const x86::IsaId isa = widest(options_.isas.empty() ? all : std::span(options_.isas));
    if (options_.passes != ThreadPasses::kMany) {
      results_.limits.push_back(measure_limits(isa, 1, device_->target()));
    }
    if (options_.passes != ThreadPasses::kSingle) {
      results_.limits.push_back(measure_limits(isa, many_threads(), device_->target()));
    }
  }

  void run_pass(std::size_t pass) {
    const MachineLimits& limits = results_.limits[pass];
    for (const auto& peer : peers_) peer->set_threads(limits.threads);
    std::vector<Shape> shapes;
    for (const Shape& shape : shapes_) {
      const ProblemLimit limit = limit_of(shape.problem, limits, device_->target());
      if (pass == 0 || is_compute_bound(shape.problem, limit)) shapes.push_back(shape);
    }
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      position_ = "[" + std::to_string(i + 1) + "/" + std::to_string(shapes.size()) + "] ";
      shapes_left_ = shapes.size() - i;
      measure_stored_ways(shapes[i], limits);
    }
  }

  void measure_stored_ways(const Shape& shape, const MachineLimits& limits) {
    std::vector<MeasuredShape> measured;
    if (options_.transposes.empty()) measure_one(shape, limits, measured);
    for (const std::string& transposes : options_.transposes) {
      measure_one(with_transposes(shape, transposes), limits, measured);
    }
    const bool has_nn =
        !measured.empty() && transposes_of(measured.front().result.shape.problem) == "nn";
    if (has_nn && measured.size() > 1) {
      results_.transposes.push_back(
          benchmark_->compare_transposes(measured, contest_options(limits)));
    }
  }

  void measure_one(const Shape& shape, const MachineLimits& limits,
                   std::vector<MeasuredShape>& measured) {
    progress(position_ + to_string(shape.problem) + " on " + std::to_string(limits.threads) +
             (limits.threads == 1 ? " thread" : " threads"));
    Result<MeasuredShape> result =
        benchmark_->measure(shape, limits, search_options(), contest_options(limits));
    if (!result.ok()) {
      results_.failed.push_back({shape, limits.threads, result.status().message()});
      if (!options_.json) table_.failed(results_.failed.back());
      return;
    }
    report(result->result);
    results_.shapes.push_back(result->result);
    measured.push_back(std::move(result).take());
  }

  void report(const ShapeResult& result) {
    const auto wrong = result.search.outcomes.find(OutcomeKind::kWrongResult);
    if (wrong != result.search.outcomes.end()) {
      err_ << "triode-bench: " << wrong->second
           << " configs computed wrongly and were dropped: " << result.search.failures.front()
           << std::endl;
    }
    progress("    " + std::to_string(result.search.tried) + " configs tried; best " +
             result.config);
    if (options_.json) return;
    if (options_.demo) {
      demo_table_.row(result);
    } else {
      table_.row(result);
    }
  }

  SearchOptions search_options() const {
    SearchOptions search;
    double budget_s = options_.budget_s;
    if (options_.demo) {
      const double left = kDemoSeconds - Seconds(steady_clock().now() - begin_).count();
      budget_s = std::clamp(left / static_cast<double>(shapes_left_) - kDemoContestSeconds,
                            kDemoLeastBudget, kDemoMostBudget);
    }
    search.budget = std::chrono::duration_cast<std::chrono::nanoseconds>(Seconds(budget_s));
    search.exhaustive = options_.exhaustive;
    search.seed = options_.seed;
    return search;
  }

  ContestOptions contest_options(const MachineLimits& limits) const {
    ContestOptions contest;
    contest.rounds = options_.demo ? kDemoRounds : options_.rounds;
    contest.wait_for_workers = limits.threads > 1;
    return contest;
  }

  void report_damage() {
    if (memory_ == nullptr || memory_->damaged() == 0) return;
    err_ << "triode-bench: " << memory_->damaged() << " records in " << options_.cache_folder
         << " are damaged and were passed over" << std::endl;
  }

  void begin_report() {
    if (options_.json) return;
    if (options_.demo) {
      demo_table_.begin(results_);
    } else {
      table_.begin(results_);
    }
  }

  void end_report() {
    results_.compile_us = benchmark_->compile_us();
    results_.clock_mhz_end = reported_clock_mhz();
    const Summary summary = summarize(results_);
    if (options_.json) {
      out_ << report_json(results_, summary);
    } else if (options_.demo) {
      demo_table_.end(summary);
    } else {
      table_.end(results_, summary);
    }
  }

  const CpuGemmOptions& options_;
  const std::vector<Shape> shapes_;
  std::unique_ptr<CpuDevice> device_;
  std::ostream& out_;
  std::ostream& err_;
  ReportTable table_;
  DemoTable demo_table_;
  const std::chrono::nanoseconds begin_;

  std::vector<std::unique_ptr<Peer>> peers_;
  std::unique_ptr<SavedConfigs> saved_;
  std::unique_ptr<MeasurementStore> store_;
  std::unique_ptr<SearchMemory> memory_;
  std::unique_ptr<ShapeBenchmark> benchmark_;
  BenchResults results_;
  std::string position_;         // of the current shape, for progress
  std::size_t shapes_left_ = 0;  // the current one included
};

Status check_cores(const CpuGemmOptions& options, const CpuDevice& device) {
  if (options.threads <= device.target().cores) return {};
  return invalid_argument("--threads " + std::to_string(options.threads) +
                          ": this process may use " + std::to_string(device.target().cores) +
                          " cores");
}

}  // namespace

int run_cpu_gemm(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
  const Result<CpuGemmOptions> options = parse_cpu_gemm_options(arguments);
  if (const auto answered = answer_without_measuring(options, out, err)) return *answered;
  Result<std::vector<Shape>> shapes = gather_shapes(*options);
  if (!shapes.ok()) return complain(shapes.status(), kWrongUsage, err);
  CpuDeviceOptions device_options;
  device_options.isas = options->isas;
  Result<std::unique_ptr<CpuDevice>> device = CpuDevice::create(device_options);
  if (!device.ok()) return complain(device.status(), kFailed, err);
  if (const Status status = check_cores(*options, **device); !status.ok()) {
    return complain(status, kWrongUsage, err);
  }
  CpuGemmRun run(*options, std::move(shapes).take(), std::move(device).take(), out, err);
  const Status status = run.run();
  if (!status.ok()) return complain(status, kFailed, err);
  return kDone;
}

}  // namespace triode::bench
