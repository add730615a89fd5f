// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/tuner_table.h"

#include <optional>

#include "tools/bench/text_columns.h"

namespace triode::bench {
namespace {

constexpr std::size_t kNameWidth = 44;

std::string line(const std::string& name, const std::string& value, const std::string& aim = "") {
  return padded_right(name, kNameWidth) + value + (aim.empty() ? "" : "  (aim: " + aim + ")") +
         "\n";
}

std::string ratio_text(const SureRatio& ratio) {
  return formatted("%.3f [%.3f, %.3f]", ratio.median, ratio.interval.low, ratio.interval.high);
}

std::string vendor_lines(const VendorPairs& pairs, const VendorSummary& summary) {
  const std::string name = pairs.vendor.name;
  if (!summary.speedup_geomean) return "";
  std::string text =
      line(name + ": speed-up, geometric mean", formatted("%.3f", *summary.speedup_geomean),
           name == "openblas" ? "1.25" : "1.15");
  text += line(name + ": shapes slower by 2 %", formatted("%.1f %%", 100 * *summary.share_slower),
               "at most 1 %");
  text += line(name + ": shapes with a plan",
               formatted("%.0f %% of %zu, %d disturbed", 100 * summary.share_planned,
                         pairs.shapes.size(), summary.disturbed));
  text += line(name + ": searching",
               formatted("%.0f s, %llu searches, %llu trials%s", pairs.effort.seconds,
                         static_cast<unsigned long long>(pairs.effort.searches),
                         static_cast<unsigned long long>(pairs.effort.trials),
                         pairs.effort.is_complete ? "" : ", and not done"));
  for (const PairedShape& shape : pairs.shapes) {
    const PairSummary pair = summarize(shape);
    if (!pair.is_slower) continue;
    text += line("  slower: " + shape.problem,
                 ratio_text(pair.speedup) + (shape.is_ours ? ", by a plan" : ", by the library"));
  }
  return text;
}

std::string interference_lines(const TunerSummary& summary) {
  if (!summary.throughput_while_tuning) return "";
  return line("throughput while tuning, over without", ratio_text(*summary.throughput_while_tuning),
              "at least 0.98") +
         line("99th percentile while tuning, over without", ratio_text(*summary.p99_while_tuning),
              "at most 1.05") +
         line("cores that the tuner used meanwhile", formatted("%.2f", *summary.tuner_cores));
}

std::string first_call_lines(const TunerSummary& summary) {
  if (!summary.first_call_added_us_p99) return "";
  return line("first call of a shape, added",
              formatted("%.2f us, 99th percentile; %.2f us, median",
                        *summary.first_call_added_us_p99, *summary.first_call_added_us_median),
              "at most 5 us") +
         line("  the library's second call over its first",
              formatted("%.2f us, 99th percentile", *summary.first_call_noise_us_p99));
}

std::string convergence_lines(const TunerResults& results, const TunerSummary& summary) {
  if (!results.convergence || !summary.final_speedup) return "";
  const std::string time =
      summary.seconds_to_90pct ? formatted("%.1f s", *summary.seconds_to_90pct) : "never";
  return line(formatted("%zu shapes to 90 %% of their speed-up", results.convergence->shapes),
              time + formatted(", of %.3f", *summary.final_speedup), "at most 30 s");
}

std::string effort_line(const TunerSummary& summary) {
  if (!summary.trials_per_problem || !summary.exhaustive_per_problem) return "";
  return line("timings for one problem",
              formatted("%.0f of %.0f that an exhaustive search takes", *summary.trials_per_problem,
                        *summary.exhaustive_per_problem));
}

}  // namespace

std::string tuner_table(const TunerResults& results, const TunerSummary& summary) {
  std::string text;
  for (std::size_t i = 0; i < results.vendors.size(); ++i) {
    text += vendor_lines(results.vendors[i], summary.vendors[i]);
  }
  text += effort_line(summary);
  text += convergence_lines(results, summary);
  text += interference_lines(summary);
  text += first_call_lines(summary);
  for (const ProgramSummary& program : summary.programs) {
    text += line("numpy program '" + program.name + "', whole",
                 ratio_text(program.speedup) +
                     formatted(", %.0f %% of its time in matmuls", 100 * program.matmul_share));
  }
  for (const ProgramRuns& program : results.programs) {
    if (!program.remark.empty())
      text += line("numpy program '" + program.name + "'", program.remark);
  }
  for (const std::string& reason : results.left_out) text += "left out: " + reason + "\n";
  return text + "In brackets: 95 % confidence intervals of medians.\n";
}

}  // namespace triode::bench
