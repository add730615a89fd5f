// SPDX-License-Identifier: Apache-2.0
#include "tools/report/report_json.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "cache/validity.h"
#include "tools/report/device_text.h"
#include "tools/report/regret_curves.h"
#include "triode_version.h"

namespace triode::report_tool {
namespace {

using Json = nlohmann::ordered_json;

std::string_view state_of(const ProblemFact& problem, bool was_withdrawn) {
  if (problem.plan) return "tuned";
  if (was_withdrawn) return "withdrawn";
  return problem.best() != nullptr ? "vendor" : "failed";
}

// Problems whose last decision was a withdrawal.
std::map<std::string, bool> withdrawals(const std::vector<TunerEvent>& events) {
  std::map<std::string, bool> is_withdrawn;
  for (const TunerEvent& event : events) {
    const auto problem = event.fields.find("problem");
    if (problem == event.fields.end() || !is_decision(event)) continue;
    is_withdrawn[problem->second] = event.event == "withdrawn";
  }
  return is_withdrawn;
}

Json problem_json(const ProblemFact& fact, bool was_withdrawn) {
  const TrialFact* best = fact.best();
  Json json{{"problem", fact.text},
            {"device", device_name(fact.device)},
            {"target", fact.device},
            {"state", state_of(fact, was_withdrawn)},
            {"trials", fact.trials.size()},
            {"failed", fact.failed()},
            {"space", fact.space_size},
            {"vendor_ns", fact.vendor_ns},
            {"best_ns", best != nullptr ? best->median_ns : 0},
            {"best_config", best != nullptr ? best->config : ""},
            {"speedup", fact.speedup()},
            {"saved_ns", fact.saved_ns()}};
  if (fact.plan) {
    json["plan_ns"] = fact.plan->plan_ns;
    json["plan_config"] = fact.plan->config;
    json["vendor"] = fact.plan->vendor;
  }
  if (fact.calls.count > 0) {
    json["calls"] = fact.calls.count;
    json["calls_ns"] = fact.calls.total_ns;
    json["calls_saved_ns"] = fact.calls.saved_ns;
  }
  if (fact.problem) {
    json["flops"] = fact.problem->flops();
    json["bytes"] = fact.problem->bytes();
    json["dtype"] = std::string(to_string(fact.problem->a_type));
    json["threads"] = fact.problem->threads;
  }
  return json;
}

// Arrays rather than objects: most of the page is trials.
Json trial_json(const TrialFact& trial) {
  return Json::array({trial.config, std::string(to_string(trial.outcome)), trial.median_ns,
                      trial.spread, trial.vendor_ns, trial.predicted_ns, trial.when_unix_s});
}

// The fastest so many, and all that failed as far as there is room.
std::vector<const TrialFact*> chosen_trials(const ProblemFact& fact, size_t most) {
  std::vector<const TrialFact*> trials;
  for (const TrialFact& trial : fact.trials) trials.push_back(&trial);
  if (trials.size() <= most) return trials;
  std::stable_sort(trials.begin(), trials.end(), [](const TrialFact* a, const TrialFact* b) {
    if (a->ran() != b->ran()) return a->ran();
    return a->median_ns < b->median_ns;
  });
  trials.resize(most);
  return trials;
}

std::vector<size_t> order_of_interest(const std::vector<ProblemFact>& problems) {
  std::vector<size_t> order(problems.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const double saved_a = problems[a].saved_ns();
    const double saved_b = problems[b].saved_ns();
    if (saved_a != saved_b) return saved_a > saved_b;
    return problems[a].trials.size() > problems[b].trials.size();
  });
  return order;
}

// Trials of each outcome in even steps of time: about so many of them.
constexpr int64_t kTimelineSteps = 60;

Json timeline_json(const std::vector<ProblemFact>& problems) {
  int64_t first = INT64_MAX;
  int64_t last = 0;
  for (const ProblemFact& problem : problems) {
    for (const TrialFact& trial : problem.trials) {
      if (trial.when_unix_s == 0) continue;
      first = std::min(first, trial.when_unix_s);
      last = std::max(last, trial.when_unix_s);
    }
  }
  Json json{{"start_unix_s", 0}, {"step_s", 0}, {"outcomes", Json::object()}};
  if (last == 0) return json;
  const int64_t step = std::max<int64_t>(1, (last - first) / kTimelineSteps + 1);
  const auto steps = static_cast<size_t>((last - first) / step + 1);
  std::map<std::string, std::vector<int64_t>> outcomes;
  for (const ProblemFact& problem : problems) {
    for (const TrialFact& trial : problem.trials) {
      if (trial.when_unix_s == 0) continue;
      auto& counts = outcomes[std::string(to_string(trial.outcome))];
      counts.resize(steps);
      ++counts[static_cast<size_t>((trial.when_unix_s - first) / step)];
    }
  }
  json["start_unix_s"] = first;
  json["step_s"] = step;
  json["outcomes"] = outcomes;
  return json;
}

Json headline_json(const std::vector<ProblemFact>& problems) {
  double logs = 0;
  double vendor_ns = 0;
  double plan_ns = 0;
  size_t tuned = 0;
  size_t trials = 0;
  size_t timed = 0;  // of problems whose space is known
  double exhaustive = 0;
  CallsFact calls;
  for (const ProblemFact& problem : problems) {
    trials += problem.trials.size();
    if (problem.space_size > 0) {
      timed += problem.trials.size();
      exhaustive += static_cast<double>(problem.space_size);
    }
    calls.count += problem.calls.count;
    calls.total_ns += problem.calls.total_ns;
    calls.saved_ns += problem.calls.saved_ns;
    if (!problem.plan) continue;
    ++tuned;
    logs += std::log(problem.plan->speedup);
    vendor_ns += problem.plan->vendor_ns;
    plan_ns += problem.plan->plan_ns;
  }
  return {{"problems", problems.size()},
          {"tuned", tuned},
          {"geomean_speedup", tuned > 0 ? std::exp(logs / static_cast<double>(tuned)) : 0},
          {"vendor_ns", vendor_ns},
          {"plan_ns", plan_ns},
          {"trials", trials},
          {"trials_of_known_spaces", timed},
          {"exhaustive_trials", exhaustive},
          {"calls", calls.count},
          {"calls_ns", calls.total_ns},
          {"calls_saved_ns", calls.saved_ns}};
}

Json regret_json(const std::vector<ProblemFact>& problems) {
  Json by_timings = Json::array();
  for (const RegretPoint& point : regret_by_timings(problems)) {
    by_timings.push_back({{"timings", point.timings},
                          {"geomean", point.geomean},
                          {"p90", point.p90},
                          {"problems", point.problems}});
  }
  Json by_problem = Json::array();
  for (const ChoicePoint& point : regret_by_problem(problems)) {
    by_problem.push_back({{"problem", problems[point.problem].text},
                          {"when_unix_s", point.when_unix_s},
                          {"first", point.first},
                          {"best_of_three", point.best_of_three}});
  }
  return {{"by_timings", by_timings}, {"by_problem", by_problem}};
}

Json events_json(const std::vector<TunerEvent>& events, size_t most) {
  Json json = Json::array();
  const size_t first = events.size() > most ? events.size() - most : 0;
  for (size_t i = first; i < events.size(); ++i) {
    json.push_back({{"when_unix_s", events[i].when_unix_s},
                    {"event", events[i].event},
                    {"fields", events[i].fields}});
  }
  return json;
}

Json devices_json(const std::vector<ProblemFact>& problems) {
  std::map<std::string, size_t> devices;
  for (const ProblemFact& problem : problems) ++devices[problem.device];
  Json json = Json::array();
  for (const auto& [device, count] : devices) {
    json.push_back({{"name", device_name(device)},
                    {"text", device_text(device)},
                    {"target", device},
                    {"problems", count}});
  }
  return json;
}

Json opening_json(const ReportFacts& facts, int64_t now_unix_s) {
  return {{"triode", kVersion},
          {"made_unix_s", now_unix_s},
          {"cache", facts.cache},
          {"damaged", facts.damaged}};
}

}  // namespace

Json report_json(const ReportFacts& facts, const PageLimits& limits, int64_t now_unix_s) {
  Json json = opening_json(facts, now_unix_s);
  json["space_limit"] = facts.space_limit;
  json["headline"] = headline_json(facts.problems);
  json["devices"] = devices_json(facts.problems);
  if (facts.model) {
    json["model"] = {{"name", facts.model->name},
                     {"digest", facts.model->digest},
                     {"promoted", facts.model->is_promoted},
                     {"card", facts.model->card}};
  }
  std::map<std::string, bool> is_withdrawn = withdrawals(facts.events);
  json["problems"] = Json::array();
  json["trials"] = Json::array();  // of the problems, in their order
  size_t room = limits.trials;
  size_t left_out_trials = 0;
  const std::vector<size_t> order = order_of_interest(facts.problems);
  for (size_t i = 0; i < order.size(); ++i) {
    const ProblemFact& fact = facts.problems[order[i]];
    if (i >= limits.problems) {
      left_out_trials += fact.trials.size();
      continue;
    }
    json["problems"].push_back(problem_json(fact, is_withdrawn[fact.text]));
    Json trials = Json::array();
    const auto chosen = chosen_trials(fact, std::min(room, limits.problem_trials));
    for (const TrialFact* trial : chosen) trials.push_back(trial_json(*trial));
    room -= chosen.size();
    left_out_trials += fact.trials.size() - chosen.size();
    json["trials"].push_back(std::move(trials));
  }
  json["regret"] = regret_json(facts.problems);
  json["timeline"] = timeline_json(facts.problems);
  json["events"] = events_json(facts.events, limits.events);
  json["left_out"] = {
      {"problems", order.size() - std::min(order.size(), limits.problems)},
      {"trials", left_out_trials},
      {"events", facts.events.size() - std::min(facts.events.size(), limits.events)}};
  return json;
}

Json comparison_json(const ReportFacts& a, const ReportFacts& b, int64_t now_unix_s) {
  std::map<std::pair<std::string, std::string>, const ProblemFact*> of_b;
  for (const ProblemFact& fact : b.problems) of_b[{fact.device, fact.text}] = &fact;
  Json rows = Json::array();
  size_t only_a = 0;
  double logs = 0;
  for (const ProblemFact& fact : a.problems) {
    const auto other = of_b.find({fact.device, fact.text});
    const TrialFact* best_a = fact.best();
    const TrialFact* best_b = other != of_b.end() ? other->second->best() : nullptr;
    if (best_a == nullptr || best_b == nullptr) {
      ++only_a;
      continue;
    }
    logs += std::log(best_a->median_ns / best_b->median_ns);
    rows.push_back({{"problem", fact.text},
                    {"device", device_name(fact.device)},
                    {"a_ns", best_a->median_ns},
                    {"b_ns", best_b->median_ns},
                    {"ratio", best_a->median_ns / best_b->median_ns},
                    {"a_config", best_a->config},
                    {"b_config", best_b->config},
                    {"a_trials", fact.trials.size()},
                    {"b_trials", other->second->trials.size()},
                    {"a_speedup", fact.speedup()},
                    {"b_speedup", other->second->speedup()}});
  }
  const size_t both = rows.size();
  return {{"triode", kVersion},
          {"made_unix_s", now_unix_s},
          {"a", opening_json(a, now_unix_s)},
          {"b", opening_json(b, now_unix_s)},
          {"both", both},
          {"only_a", only_a},
          {"only_b", b.problems.size() - both},
          {"geomean_ratio", both > 0 ? std::exp(logs / static_cast<double>(both)) : 0},
          {"problems", rows}};
}

}  // namespace triode::report_tool
