// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cache/fold.h"
#include "cache/keyed_trial.h"
#include "core/unix_time.h"
#include "tools/cache/answers.h"
#include "tools/cache/commands.h"
#include "tools/cache/figures.h"
#include "tools/cache/open_cache.h"
#include "tools/cache/shared_words.h"
#include "tools/cache/text_table.h"

namespace triode::cache_tool {
namespace {

struct KnownOnDevice {
  std::vector<KeyedTrial> trials;  // best first
  std::vector<StoredPlanRecord> plans;
  Validity latest;  // of the trials
};
using ByDevice = std::map<std::string, KnownOnDevice>;

Result<ByDevice> find_all(const Cache& cache, const TrialFilter& filter) {
  ByDevice devices;
  const auto add = [&](const SampleKey& key, const TrialRecord& record) {
    devices[key.device].trials.push_back({key, record});
    return true;
  };
  TRIODE_TRY(cache.measurements().scan(filter, add));
  // A config that was named and never timed ranks behind those that were.
  const auto is_timed = [](const KeyedTrial& trial) {
    return trial.record.outcome.ok() && trial.record.measurement.count > 0;
  };
  for (auto& [device, known] : devices) {
    std::stable_sort(known.trials.begin(), known.trials.end(),
                     [&](const KeyedTrial& a, const KeyedTrial& b) {
                       if (is_timed(a) != is_timed(b)) return is_timed(a);
                       return is_better(a.record, b.record);
                     });
    known.latest = latest_validity(known.trials);
    PlanKey any{.device = device, .problem = *filter.problem, .vendor = {}, .validity = {}};
    known.plans = TRIODE_TRY(cache.plans().find(any));
  }
  return devices;
}

bool is_vendors(const KeyedTrial& trial) {
  return trial.key.config.starts_with("vendor ");
}

std::string vendor_text(const PlanKey& key) {
  return key.vendor.build_id + " " + key.vendor.symbol;
}

nlohmann::ordered_json json_of(const KeyedTrial& trial, const Validity& latest) {
  const TrialRecord& r = trial.record;
  nlohmann::ordered_json json{{"config", trial.key.config},
                              {"outcome", std::string(to_string(r.outcome.kind))},
                              {"reason", r.outcome.reason},
                              {"median_ns", r.measurement.median_ns},
                              {"min_ns", r.measurement.min_ns},
                              {"spread", r.measurement.spread},
                              {"count", r.measurement.count},
                              {"trials", r.trials},
                              {"when_unix_s", r.when_unix_s},
                              {"origin", r.origin},
                              {"toolchain", trial.key.validity.toolchain},
                              {"driver", trial.key.validity.driver},
                              {"prior", why_no_answer(trial, latest)}};
  if (r.vendor.has_value()) {
    json["vendor_ns"] = r.vendor->median_ns;
    json["speedup"] = r.vendor->speedup;
    json["speedup_spread"] = r.vendor->speedup_spread;
  }
  return json;
}

nlohmann::ordered_json json_of(const StoredPlanRecord& plan, const Validity& latest) {
  return {{"config", plan.record.config},
          {"vendor", vendor_text(plan.key)},
          {"speedup", plan.record.speedup},
          {"speedup_spread", plan.record.speedup_spread},
          {"vendor_ns", plan.record.vendor_ns},
          {"plan_ns", plan.record.plan_ns},
          {"when_unix_s", plan.record.when_unix_s},
          {"withdrawn", plan.record.is_withdrawn},
          {"prior", why_prior(plan.key.validity, latest)}};
}

void print_json(const std::string& problem, const ByDevice& devices, std::ostream& out) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& [device, known] : devices) {
    nlohmann::ordered_json configs = nlohmann::ordered_json::array();
    for (const KeyedTrial& trial : known.trials) configs.push_back(json_of(trial, known.latest));
    nlohmann::ordered_json plans = nlohmann::ordered_json::array();
    for (const StoredPlanRecord& plan : known.plans) plans.push_back(json_of(plan, known.latest));
    list.push_back({{"device", device_name(device)},
                    {"target", device},
                    {"configs", configs},
                    {"plans", plans}});
  }
  out << nlohmann::ordered_json{{"problem", problem}, {"devices", list}}.dump(
             -1, ' ', true, nlohmann::json::error_handler_t::replace)
      << "\n";
}

// The vendor's median beside the best config, whichever way it was timed.
std::optional<double> vendors_time(const std::vector<KeyedTrial>& trials) {
  for (const KeyedTrial& trial : trials) {
    if (trial.record.vendor.has_value()) return trial.record.vendor->median_ns;
    if (is_vendors(trial) && trial.record.measurement.count > 0) {
      return trial.record.measurement.median_ns;
    }
  }
  return std::nullopt;
}

std::string outcome_text(const Outcome& outcome) {
  const std::string kind(to_string(outcome.kind));
  return outcome.reason.empty() ? kind : kind + ": " + outcome.reason;
}

// The configs as the table shows them. On a terminal, which has no room for whole ones, what they
// have in common stands above the table; the vendor's are no configs of ours.
std::vector<std::string> shown_configs(const std::vector<KeyedTrial>& trials,
                                       const Context& context) {
  std::vector<std::string> all;
  std::vector<std::string> ours;
  for (const KeyedTrial& trial : trials) {
    all.push_back(trial.key.config);
    if (!is_vendors(trial)) ours.push_back(trial.key.config);
  }
  if (!context.terminal.is_terminal || ours.size() < 2) return all;
  const SharedWords words = share_words(ours);
  if (words.shared.empty()) return all;
  context.out << "every config: " << words.shared << "\n";
  size_t next = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    if (!is_vendors(trials[i])) all[i] = words.rest[next++];
  }
  return all;
}

void print_plan(const StoredPlanRecord& plan, const Validity& latest, std::ostream& out) {
  const std::string prior = why_prior(plan.key.validity, latest);
  out << "plan" << (plan.record.is_withdrawn ? ", withdrawn: " : ": ") << plan.record.config << "; "
      << ratio_text(plan.record.speedup) << " over " << vendor_text(plan.key) << ", "
      << age_text(plan.record.when_unix_s, unix_seconds()) << " ago"
      << (prior.empty() ? "" : "; prior: " + prior) << "\n";
}

void print_device(const std::string& device, const KnownOnDevice& known, const Context& context) {
  const std::vector<KeyedTrial>& trials = known.trials;
  context.out << device_name(device) << "\n";
  const std::vector<std::string> configs = shown_configs(trials, context);
  TextTable table({{"#", true, false},
                   {"CONFIG", false, true},
                   {"TIME", true, false},
                   {"SPREAD", true, false},
                   {"N", true, false},
                   {"SPEEDUP", true, false},
                   {"AGE", true, false},
                   {"OUTCOME", false, true},
                   {"VALID", false, true}});
  const int64_t now = unix_seconds();
  size_t rank = 0;
  for (const KeyedTrial& trial : trials) {
    const TrialRecord& r = trial.record;
    const std::string& config = configs[rank];
    const std::string prior = why_no_answer(trial, known.latest);
    const bool is_timed = r.outcome.ok() && r.measurement.count > 0;
    table.add(
        {{std::to_string(++rank), Tone::kFaint},
         {config, is_vendors(trial) ? Tone::kFaint : Tone::kPlain},
         {is_timed ? time_text(r.measurement.median_ns) : "-",
          rank == 1 && is_timed ? Tone::kGood : Tone::kPlain},
         {is_timed ? percent_text(r.measurement.spread) : "-", Tone::kPlain},
         {count_text(r.measurement.count), Tone::kPlain},
         {r.vendor.has_value() ? ratio_text(r.vendor->speedup) : "-", Tone::kPlain},
         {age_text(r.when_unix_s, now), Tone::kPlain},
         {outcome_text(r.outcome), r.outcome.ok() ? Tone::kPlain : Tone::kBad},
         {prior.empty() ? "yes" : "prior: " + prior, prior.empty() ? Tone::kGood : Tone::kFaint}});
  }
  context.out << table.text(context.terminal);
  if (const std::optional<double> vendor = vendors_time(trials); vendor.has_value()) {
    context.out << "vendor: " << time_text(*vendor) << "\n";
  }
  for (const StoredPlanRecord& plan : known.plans) print_plan(plan, known.latest, context.out);
}

int run(const Arguments& arguments, const Context& context) {
  std::string text;
  for (const std::string& word : arguments.positionals()) text += (text.empty() ? "" : " ") + word;
  const Result<Problem> problem = parse_problem(text);
  if (!problem.ok()) return complain(context, problem.status(), true);
  TrialFilter filter;
  filter.problem = *problem;
  filter.device = arguments.value_or("--target", "");
  const auto cache = open_to_read(context.path);
  if (!cache.ok()) return complain(context, cache.status());
  const Result<ByDevice> devices = find_all(**cache, filter);
  if (!devices.ok()) return complain(context, devices.status());
  if (devices->empty()) {
    return complain(context, not_found("nothing is known of '" + to_string(*problem) +
                                       "'; 'triode cache ls' lists what is"));
  }
  if (context.json) {
    print_json(to_string(*problem), *devices, context.out);
    return kDone;
  }
  for (const auto& [device, known] : *devices) print_device(device, known, context);
  return kDone;
}

constexpr std::array<std::string_view, 1> kOptions = {"--target"};

}  // namespace

const Command& show_command() {
  static const Command command{"show", kOptions, {}, run};
  return command;
}

}  // namespace triode::cache_tool
