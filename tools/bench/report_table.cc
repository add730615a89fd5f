// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/report_table.h"

#include <algorithm>
#include <ostream>

#include "jit/x86/vector_isa.h"
#include "tools/bench/text_columns.h"

namespace triode::bench {
namespace {

constexpr std::size_t kLeastNameWidth = 16;
constexpr std::size_t kMostNameWidth = 48;

std::string figure(const std::optional<double>& value) {
  return value ? formatted("%.3f", *value) : "not measured";
}

std::string core_text(const PeerUsed& peer) {
  if (peer.core.empty()) return {};
  if (peer.mistaken_core.empty()) return ", kernels for " + peer.core;
  return ", took this processor for " + peer.mistaken_core + ", told to use kernels for " +
         peer.core;
}

const Series* find_series(const std::vector<Series>& list, const std::string& name) {
  const auto found = std::find_if(list.begin(), list.end(),
                                  [&](const Series& series) { return series.name == name; });
  return found == list.end() ? nullptr : &*found;
}

std::string limits_text(const MachineLimits& limits) {
  std::string text =
      formatted("limits on %d thread%s: %.1f GFLOP/s f32, %.1f f64 (%s)", limits.threads,
                limits.threads == 1 ? "" : "s", limits.f32_gflops, limits.f64_gflops,
                std::string(x86::describe(limits.isa).name).c_str());
  for (const ReadBandwidth& bandwidth : limits.bandwidths) {
    text += formatted(", %.1f GB/s reading %zu MiB", bandwidth.gb_per_s, bandwidth.bytes >> 20);
  }
  return text + "\n";
}

std::string vs_best_text(const ShapeResult& result) {
  const Series* const best = best_peer(result);
  if (best == nullptr) return "no peer";
  const Ratio ratio = speedup(result.triode, *best);
  return formatted("%.2f ±%.1f%% %s%s", ratio.median, ratio.spread * 100, best->name.c_str(),
                   result.is_undisturbed ? "" : " (disturbed)");
}

std::string transposes_text(const Summary& summary) {
  std::string text;
  for (const auto& [name, transposes] : summary.transposes) {
    text += name + ": " + figure(transposes.geomean_vs_nn) + " of the speed of nn, " +
            figure(transposes.geomean_vs_best) + " against the best peer\n";
  }
  return text;
}

}  // namespace

ReportTable::ReportTable(std::ostream& out, std::size_t longest_name)
    : out_(out), name_width_(std::clamp(longest_name, kLeastNameWidth, kMostNameWidth)) {}

void ReportTable::begin(const BenchResults& results) {
  out_ << results.target.device << ", " << results.target.cores << " cores, "
       << results.target.toolchain << "\n";
  for (const MachineLimits& limits : results.limits) out_ << limits_text(limits);
  for (const PeerUsed& peer : results.peers) {
    out_ << "peer " << peer.name << ": " << peer.version << core_text(peer) << " (" << peer.path
         << ")\n";
    peers_.push_back(peer.name);
  }
  for (const LeftOut& missing : results.missing_peers) {
    out_ << "peer " << missing.name << " is missing: " << missing.reason << "\n";
  }
  head();
}

// tuning: how many times slower the median random config is than the best.
void ReportTable::head() {
  out_ << "\nspeedup of Triode over each peer\n"
       << padded_right("shape m,n,k", name_width_) << " thr  GFLOP/s of limit     ";
  for (const std::string& peer : peers_) out_ << padded_left(peer, 8) << " ";
  out_ << " tuning  vs best\n";
}

void ReportTable::row(const ShapeResult& result) {
  const double speed = gflops(result, result.triode);
  out_ << padded_right(display_name(result.shape), name_width_)
       << formatted(" %3d %8.1f %4.0f%% %-7s ", result.threads, speed,
                    100 * speed / result.limit.gflops,
                    std::string(to_string(result.limit.bound)).c_str());
  for (const std::string& name : peers_) {
    const Series* const peer = find_series(result.peers, name);
    const std::string ratio =
        peer == nullptr ? "-" : formatted("%.2f", speedup(result.triode, *peer).median);
    out_ << padded_left(ratio, std::max<std::size_t>(8, name.size())) << " ";
  }
  const std::optional<double> tuning = best_over_median(result);
  out_ << padded_left(tuning ? formatted("%.2f", *tuning) : "-", 7) << "  " << vs_best_text(result)
       << std::endl;
}

void ReportTable::failed(const FailedShape& failed) {
  out_ << padded_right(display_name(failed.shape), name_width_)
       << formatted(" %3d ", failed.threads) << "failed: " << failed.reason << std::endl;
}

void ReportTable::thread_summary(const ThreadSummary& summary) {
  out_ << formatted("\n%d thread%s, %d shapes, Triode against the best peer of each shape\n",
                    summary.threads, summary.threads == 1 ? "" : "s", summary.shapes)
       << "  geomean " << figure(summary.geomean_vs_best) << "; without the tiny ones "
       << figure(summary.geomean_vs_best_not_tiny) << "; bound by computing "
       << figure(summary.geomean_vs_best_compute_bound) << ", the least "
       << figure(summary.min_vs_best_compute_bound) << "\n";
  if (summary.median_spread) {
    out_ << formatted("  spread of a ratio ±%.1f%% (median over shapes)\n",
                      *summary.median_spread * 100);
  }
  if (summary.disturbed_shapes > 0) {
    out_ << formatted("  %d shapes were disturbed: run again on a quiet machine\n",
                      summary.disturbed_shapes);
  }
  for (const auto& [name, ratio] : summary.geomean_vs_peer) {
    out_ << "  geomean against " << name << " " << formatted("%.3f", ratio) << "\n";
  }
}

void ReportTable::end(const BenchResults& results, const Summary& summary) {
  if (summary.single) thread_summary(*summary.single);
  if (summary.threaded) thread_summary(*summary.threaded);
  out_ << transposes_text(summary);
  if (summary.jit_us_median) {
    out_ << formatted("one kernel compiles in %.1f us (median of %zu)\n", *summary.jit_us_median,
                      results.compile_us.size());
  }
}

void DemoTable::begin(const BenchResults& results) {
  peer_ = results.peers.empty() ? "" : results.peers.front().name;
  out_ << "Triode tunes its matmul kernels to each shape. One thread of " << results.target.device
       << ".\n";
  for (const PeerUsed& peer : results.peers) {
    out_ << "Against " << peer.name << ": " << peer.version << core_text(peer) << "\n";
  }
  if (peer_.empty()) out_ << "No BLAS was found to compare with: install libopenblas0-pthread.\n";
  out_ << "\n"
       << padded_right("shape m,n,k", 34) << padded_left(peer_.empty() ? "-" : peer_, 12)
       << padded_left("Triode", 12) << padded_left("speedup", 10) << "\n"
       << padded_right("", 34) << padded_left("GFLOP/s", 12) << padded_left("GFLOP/s", 12) << "\n";
}

void DemoTable::row(const ShapeResult& result) {
  const Series* const peer = find_series(result.peers, peer_);
  out_ << padded_right(display_name(result.shape), 34)
       << padded_left(peer == nullptr ? "-" : formatted("%.1f", gflops(result, *peer)), 12)
       << formatted("%12.1f", gflops(result, result.triode));
  if (peer != nullptr) {
    const Ratio ratio = speedup(result.triode, *peer);
    out_ << formatted("%9.2fx  ±%.1f%%", ratio.median, ratio.spread * 100);
  }
  out_ << std::endl;
}

void DemoTable::end(const Summary& summary) {
  out_ << "\n";
  if (!summary.single || !summary.single->geomean_vs_best) {
    out_ << "Nothing to compare with was measured.\n";
    return;
  }
  const bool is_busy = summary.single->disturbed_shapes > 0;
  out_ << formatted("Triode is %.2f times as fast as %s over these %d shapes (geometric mean%s).\n",
                    *summary.single->geomean_vs_best, peer_.c_str(), summary.single->shapes,
                    is_busy ? "; the machine was busy, so run it again" : "");
}

}  // namespace triode::bench
