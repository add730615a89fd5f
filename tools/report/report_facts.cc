// SPDX-License-Identifier: Apache-2.0
#include "tools/report/report_facts.h"

#include <algorithm>
#include <map>
#include <utility>

#include "cache/validity.h"
#include "core/target_text.h"
#include "runtime/host/kept_plans.h"
#include "tools/cache/cache_folder.h"

namespace triode::report_tool {
namespace {

// Trials of the vendor's own kernel are kept under a config of this form.
constexpr std::string_view kVendorConfig = "vendor ";

TrialFact trial_fact(const SampleKey& key, const TrialRecord& record,
                     std::optional<uint64_t> number) {
  TrialFact trial;
  trial.config = key.config;
  trial.outcome = record.outcome.kind;
  trial.median_ns = record.measurement.count > 0 ? record.measurement.median_ns : 0;
  trial.spread = record.measurement.spread;
  trial.vendor_ns = record.vendor ? record.vendor->median_ns : 0;
  trial.when_unix_s = record.when_unix_s;
  trial.number = number.value_or(0);
  return trial;
}

void note_vendor(ProblemFact& problem, double nanoseconds) {
  if (nanoseconds <= 0) return;
  if (problem.vendor_ns == 0 || nanoseconds < problem.vendor_ns) problem.vendor_ns = nanoseconds;
}

void sort_by_arrival(std::vector<TrialFact>& trials) {
  std::stable_sort(trials.begin(), trials.end(), [](const TrialFact& a, const TrialFact& b) {
    return std::pair(a.number, a.when_unix_s) < std::pair(b.number, b.when_unix_s);
  });
}

Result<int64_t> read_problems(const MeasurementStore& store, std::vector<ProblemFact>& problems) {
  const auto visit = [&](const SampleKey& key, const TrialRecord& record,
                         std::optional<uint64_t> number) {
    if (problems.empty() || problems.back().device != key.device ||
        problems.back().text != key.problem) {
      ProblemFact problem;
      problem.device = key.device;
      problem.text = key.problem;
      Result<Problem> parsed = parse_problem(key.problem);
      if (parsed.ok()) problem.problem = std::move(parsed).take();
      problems.push_back(std::move(problem));
    }
    const TrialFact trial = trial_fact(key, record, number);
    note_vendor(problems.back(), trial.vendor_ns);
    if (key.config.starts_with(kVendorConfig)) {
      note_vendor(problems.back(), trial.median_ns);
    } else {
      problems.back().trials.push_back(trial);
    }
    return true;
  };
  const StoreCounts counts = TRIODE_TRY(store.for_each_numbered_trial(visit));
  for (ProblemFact& problem : problems) sort_by_arrival(problem.trials);
  return counts.damaged;
}

// The device's text, as measurements name it.
std::string device_of_section(const PlanSection& section) {
  const Result<Target> target = parse_fingerprint(section.target);
  return target.ok() ? device_of(*target) : section.target;
}

// A plan joins what was timed of its problem. Of several, in front of several libraries, the one
// that saves most stands for the problem.
void add_plans(const PlanFile& file, std::vector<ProblemFact>& problems) {
  std::map<std::pair<std::string, std::string>, size_t> positions;
  for (size_t i = 0; i < problems.size(); ++i) {
    positions[{problems[i].device, problems[i].text}] = i;
  }
  for (const PlanSection& section : file.sections) {
    const std::string device = device_of_section(section);
    for (const StoredPlan& plan : section.plans) {
      const std::string text = to_string(plan.problem);
      const auto [position, is_new] = positions.try_emplace({device, text}, problems.size());
      if (is_new) {
        ProblemFact problem;
        problem.device = device;
        problem.text = text;
        problem.problem = plan.problem;
        problems.push_back(std::move(problem));
      }
      ProblemFact& problem = problems[position->second];
      if (problem.plan && problem.saved_ns() >= plan.vendor_ns - plan.plan_ns) continue;
      problem.plan = plan;
      problem.vendor_ns = plan.vendor_ns;
    }
  }
}

}  // namespace

const TrialFact* ProblemFact::best() const {
  const TrialFact* best = nullptr;
  for (const TrialFact& trial : trials) {
    if (trial.ran() && (best == nullptr || trial.median_ns < best->median_ns)) best = &trial;
  }
  return best;
}

int64_t ProblemFact::failed() const {
  return std::count_if(trials.begin(), trials.end(),
                       [](const TrialFact& trial) { return trial.outcome != OutcomeKind::kOk; });
}

Result<ReportFacts> gather_facts(const Cache& cache) {
  ReportFacts facts;
  facts.cache = cache.path();
  facts.damaged = TRIODE_TRY(read_problems(cache.measurements(), facts.problems));
  const std::string folder = cache_tool::folder_of_store(cache.path());
  const Result<PlanFile> plans = read_plan_file(host::kept_plans_path(folder));
  if (plans.ok()) {
    add_plans(*plans, facts.problems);
  } else if (plans.status().code() != StatusCode::kNotFound) {
    return plans.status();
  }
  facts.events = read_tuner_log(folder);
  return facts;
}

}  // namespace triode::report_tool
