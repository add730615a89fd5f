// SPDX-License-Identifier: Apache-2.0
#include "bindings/template_timings.h"

#include <cmath>

#include "cache/cache_path.h"
#include "cache/keyed_trial.h"
#include "cache/spool_writer.h"
#include "cache/validity.h"
#include "core/settings.h"
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

KeyedTrial trial_of(const TemplateTimings& timings, const TemplateTimings::Row& row) {
  Target target;
  target.device = timings.gpu;
  target.toolchain = timings.toolchain;
  KeyedTrial trial;
  trial.key = {.device = device_of(target),
               .problem = to_string(timings.problem),
               .config = text_of(row.config),
               .validity = validity_of(target)};
  trial.record.when_unix_s = timings.when_unix_s;
  trial.record.origin = kOrigin;
  if (!row.ms) {
    trial.record.outcome = {OutcomeKind::kLaunchFailed, "Inductor could not run it"};
    return trial;
  }
  const double ns = *row.ms * kNanosecondsPerMs;
  trial.record.measurement = {.median_ns = ns, .min_ns = ns, .spread = 0, .count = 1};
  if (timings.vendor_ms) {
    trial.record.vendor = {.median_ns = *timings.vendor_ms * kNanosecondsPerMs,
                           .speedup = *timings.vendor_ms / *row.ms,
                           .speedup_spread = 0};
  }
  return trial;
}

Result<std::string> path_of_cache(const std::string& folder) {
  if (folder.empty()) return cache_path_from_environment();
  Settings settings;
  settings.cache = folder;
  return cache_path(settings, [](const std::string&) { return std::nullopt; });
}

}  // namespace

Status leave_timings(const TemplateTimings& timings, const std::string& folder) {
  TRIODE_TRY(check_time(timings.vendor_ms, "the vendor's kernel"));
  std::vector<KeyedTrial> trials;
  for (const TemplateTimings::Row& row : timings.rows) {
    TRIODE_TRY(check_time(row.ms, text_of(row.config)));
    trials.push_back(trial_of(timings, row));
  }
  if (trials.empty()) return {};
  return append_to_spool(TRIODE_TRY(path_of_cache(folder)), trials);
}

}  // namespace triode::python
