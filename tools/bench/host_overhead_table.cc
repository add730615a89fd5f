// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/host_overhead_table.h"

#include <ostream>
#include <string>

#include "core/measurement.h"
#include "tools/bench/summary.h"
#include "tools/bench/text_columns.h"

namespace triode::bench {
namespace {

constexpr std::size_t kShapeWidth = 10;
constexpr std::size_t kDirectWidth = 9;
constexpr std::size_t kAddedWidth = 25;

std::string shape_text(const Problem& problem) {
  return std::to_string(problem.m) + "x" + std::to_string(problem.n) + "x" +
         std::to_string(problem.k);
}

// "12.3 ±0.4 (15.1)": median, spread, what one round in a hundred exceeds.
std::string added_text(const std::optional<Difference>& added) {
  if (!added) return "-";
  return formatted("%.1f ±%.1f (%.1f)", added->median, added->spread, added->p99);
}

std::string median_text(const std::optional<Difference>& difference, const char* unit) {
  if (!difference) return "not measured";
  return formatted("%.1f ±%.1f %s", difference->median, difference->spread, unit);
}

std::string gain_text(const OverheadShape& shape) {
  const std::optional<Difference> gained = gain(shape);
  if (!gained) return "-  " + shape.plan_remark;
  const Ratio ratio =
      speedup(find_contestant(shape, kHitOurs)->series, shape.contestants.front().series);
  return formatted("%8.1f ±%-5.1f %5.2fx ±%.1f%%", gained->median, gained->spread, ratio.median,
                   ratio.spread * 100);
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

// "direct 0.1, off 0.2": misses per call, the median over the shapes.
std::string misses_text(const std::vector<OverheadShape>& shapes,
                        std::vector<double> CacheMisses::*level) {
  std::string text;
  for (const char* const name : {kDirect, kOff, kObserve, kHitVendor, kHitOurs}) {
    std::vector<double> medians;
    for (const OverheadShape& shape : shapes) {
      const ContestantResult* const contestant = find_contestant(shape, name);
      if (contestant == nullptr || (contestant->misses.*level).empty()) continue;
      medians.push_back(median_of(contestant->misses.*level));
    }
    if (medians.empty()) continue;
    text += (text.empty() ? "" : ", ") + std::string(name) + formatted(" %.2f", median_of(medians));
  }
  return text;
}

}  // namespace

void HostOverheadTable::begin(const HostOverheadResults& results) {
  out_
      << results.target.device << ", " << results.target.cores << " cores, "
      << results.target.toolchain << "\n"
      << "Triode: " << results.library << "\n"
      << "vendor " << results.vendor.name << ": " << results.vendor.version << ", kernels for "
      << results.vendor.core << ", one thread (" << results.vendor.path << ")\n"
      << "aimed at: off at most 15 ns, observe at most 40 ns, hit_vendor at most 40 ns, below 120 "
         "instructions before the kernel, start-up at most 3 ms\n"
      << "\nnanoseconds that Triode adds to a call: median ±spread (99th percentile); of hit_ours, "
         "what it gains\n"
      << padded_right("shape", kShapeWidth) << " thr" << padded_left("direct", kDirectWidth);
  for (const char* const name : {kOff, kObserve, kHitVendor}) {
    out_ << padded_left(name, kAddedWidth);
  }
  out_ << "    hit_ours gain, speedup" << std::endl;
}

void HostOverheadTable::row(const OverheadShape& shape) {
  const double direct_ns = median_of(shape.contestants.front().series.per_call_ns);
  out_ << padded_right(shape_text(shape.problem), kShapeWidth) << formatted(" %3d", shape.threads)
       << padded_left(formatted("%.1f", direct_ns), kDirectWidth);
  for (const char* const name : {kOff, kObserve, kHitVendor}) {
    out_ << padded_left(added_text(added(shape, name)), kAddedWidth);
  }
  out_ << "    " << gain_text(shape) << (shape.is_undisturbed ? "" : " (disturbed)") << std::endl;
}

void HostOverheadTable::thread_summary(const ThreadOverhead& overhead) {
  out_ << formatted("\n%d calling thread%s, median over the shapes\n", overhead.threads,
                    overhead.threads == 1 ? "" : "s")
       << "  off adds " << median_text(overhead.off_ns, "ns") << "; observe "
       << median_text(overhead.observe_ns, "ns") << "; hit_vendor "
       << median_text(overhead.hit_vendor_ns, "ns") << "\n"
       << "  hit_ours gains " << median_text(overhead.hit_ours_gain_ns, "ns");
  if (overhead.hit_ours_speedup) {
    out_ << formatted(", %.2f times as fast (geometric mean)", *overhead.hit_ours_speedup);
  }
  out_ << "\n";
  if (overhead.disturbed_shapes > 0) {
    out_ << formatted("  %d shapes were disturbed: run again on a quiet machine\n",
                      overhead.disturbed_shapes);
  }
}

void HostOverheadTable::instructions(const HitInstructions& counted,
                                     const HostOverheadSummary& summary) {
  out_ << "\ninstructions of a hit with our plan, 8x8x8: ";
  if (summary.hit_instructions) {
    out_ << formatted("%.0f from the entry point to the kernel (median of %zu calls)",
                      *summary.hit_instructions, counted.stepped.size());
  } else {
    out_ << "before the kernel not counted: " << counted.stepped_remark;
  }
  if (summary.hit_added_instructions) {
    out_ << formatted("; %.1f without the kernel's (mean of %d calls)\n",
                      *summary.hit_added_instructions, counted.callgrind->calls);
  } else {
    out_ << "; without the kernel's not counted: " << counted.callgrind_remark << "\n";
  }
}

void HostOverheadTable::startup(const HostOverheadResults& results,
                                const HostOverheadSummary& summary) {
  if (!results.startup || !summary.preload_startup_ms) {
    out_ << "start-up not measured: " << results.startup_remark << "\n";
    return;
  }
  const PreloadStartup& startup = *results.startup;
  out_ << formatted("start-up: preloading adds %.2f ±%.2f ms to the %.1f ms of `python3 -c pass`",
                    summary.preload_startup_ms->median, summary.preload_startup_ms->spread,
                    median_of(startup.without_ms))
       << formatted(" (%.2f ±%.2f ms of processor time; %zu rounds of %d starts each)\n",
                    summary.preload_startup_cpu_ms->median, summary.preload_startup_cpu_ms->spread,
                    startup.with_ms.size(), kStartsPerRound)
       << formatted("  95 %% confidence: %.2f to %.2f ms", summary.preload_startup_interval_ms->low,
                    summary.preload_startup_interval_ms->high)
       << (summary.preload_startup_instructions
               ? formatted("; %.2f million instructions",
                           1e-6 * *summary.preload_startup_instructions)
               : "; instructions not counted: " + startup.instructions_remark)
       << "\n";
  if (!startup.loaded_remark.empty()) {
    out_ << "libraries it loads are not known: " << startup.loaded_remark << "\n";
    return;
  }
  const std::vector<std::string> heavy = heavy_libraries(startup.loaded_after_matmul);
  out_ << "loaded until a matmul is worth tuning: " << joined(startup.loaded_after_matmul) << "; "
       << (heavy.empty() ? "no libtorch, RocksDB, libpython or TBB"
                         : "heavy ones: " + joined(heavy))
       << "\n";
}

void HostOverheadTable::end(const HostOverheadResults& results,
                            const HostOverheadSummary& summary) {
  if (summary.single) thread_summary(*summary.single);
  if (summary.pair) thread_summary(*summary.pair);
  instructions(results.instructions, summary);
  startup(results, summary);
  const std::string l1d = misses_text(results.shapes, &CacheMisses::l1d);
  const std::string llc = misses_text(results.shapes, &CacheMisses::llc);
  if (!l1d.empty()) out_ << "L1d misses per call: " << l1d << "\n";
  if (!llc.empty()) out_ << "LLC misses per call: " << llc << "\n";
  if (!results.misses_remark.empty()) out_ << results.misses_remark << "\n";
}

}  // namespace triode::bench
