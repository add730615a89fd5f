// SPDX-License-Identifier: Apache-2.0
#include "bindings/template_timings.h"

#include <cmath>
#include <vector>

#include "bindings/store_path.h"
#include "cache/keyed_trial.h"
#include "cache/spool_writer.h"
#include "cache/validity.h"
#include "core/target.h"

namespace triode::python {
namespace {

constexpr const char* kOrigin = "inductor-feedback";
constexpr double kNanosecondsPerMs = 1e6;

// The words that timings of this kernel have in the cache, whoever made them (ForeignConfig).
std::string text_of(const TemplateConfig& config) {
  const auto& [block_m, block_n, block_k, group_m, num_stages, num_warps] = config;
  return "triton block_k=" + std::to_string(block_k) + " block_m=" + std::to_string(block_m) +
         " block_n=" + std::to_string(block_n) + " group_m=" + std::to_string(group_m) +
         " num_stages=" + std::to_string(num_stages) + " num_warps=" + std::to_string(num_warps);
}

Status check_time(std::optional<double> ms, const std::string& of) {
  if (!ms || (std::isfinite(*ms) && *ms > 0)) return {};
  return invalid_argument("a time of " + std::to_string(*ms) + " ms for " + of +
                          " cannot be true; none of these timings is kept");
}

// One config that was timed; an empty time: it did not run.
struct TimedText {
  std::string config;
  std::optional<double> ms;
};

KeyedTrial trial_of(const Target& target, const Problem& problem, const TimedText& timed,
                    std::optional<double> vendor_ms, int64_t when_unix_s) {
  KeyedTrial trial;
  trial.key = {.device = device_of(target),
               .problem = to_string(problem),
               .config = timed.config,
               .validity = validity_of(target)};
  trial.record.when_unix_s = when_unix_s;
  trial.record.origin = kOrigin;
  if (!timed.ms) {
    trial.record.outcome = {OutcomeKind::kLaunchFailed, "Inductor could not run it"};
    return trial;
  }
  const double ns = *timed.ms * kNanosecondsPerMs;
  trial.record.measurement = {.median_ns = ns, .min_ns = ns, .spread = 0, .count = 1};
  if (vendor_ms) {
    trial.record.vendor = {.median_ns = *vendor_ms * kNanosecondsPerMs,
                           .speedup = *vendor_ms / *timed.ms,
                           .speedup_spread = 0};
  }
  return trial;
}

Status leave(const Target& target, const Problem& problem, const std::vector<TimedText>& timed,
             std::optional<double> vendor_ms, int64_t when_unix_s, const std::string& folder) {
  TRIODE_TRY(check_time(vendor_ms, "the vendor's kernel"));
  std::vector<KeyedTrial> trials;
  for (const TimedText& one : timed) {
    TRIODE_TRY(check_time(one.ms, one.config));
    trials.push_back(trial_of(target, problem, one, vendor_ms, when_unix_s));
  }
  if (trials.empty()) return {};
  return append_to_spool(TRIODE_TRY(path_of_store(folder)), trials);
}

}  // namespace

Status leave_timings(const TemplateTimings& timings, const std::string& folder) {
  Target target;
  target.device = timings.gpu;
  target.toolchain = timings.toolchain;
  std::vector<TimedText> timed;
  for (const TemplateTimings::Row& row : timings.rows) {
    timed.push_back({text_of(row.config), row.ms});
  }
  return leave(target, timings.problem, timed, timings.vendor_ms, timings.when_unix_s, folder);
}

Status leave_cpu_timing(const CpuTiming& timing, const std::string& folder) {
  return leave(timing.target, timing.problem, {{timing.config, timing.ms}}, timing.vendor_ms,
               timing.when_unix_s, folder);
}

}  // namespace triode::python
