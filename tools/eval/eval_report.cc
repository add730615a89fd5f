// SPDX-License-Identifier: Apache-2.0
#include "tools/eval/eval_report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

namespace triode::eval_tool {
namespace {

using nlohmann::json;
using train::Against;
using train::FoldedSummary;
using train::Judgement;
using train::TimedProblem;
using Accepts = std::function<bool(size_t)>;

constexpr size_t kWindow = 200;  // problems of a stream that are summarised together

json to_json(const train::RegretSummary& summary) {
  return {{"geomean", summary.geomean},
          {"p90", summary.p90},
          {"p99", summary.p99},
          {"worst", summary.worst},
          {"n", summary.n}};
}

json to_json(const FoldedSummary& summary) {
  json out = to_json(summary.all);
  if (summary.fold_geomeans.size() > 1) {
    out["folds"] = summary.fold_geomeans;
    out["fold_mean"] = summary.mean;
    out["fold_deviation"] = summary.deviation;
  }
  return out;
}

class Reporter {
 public:
  Reporter(const EvalOptions& options, const Evaluation& evaluation)
      : options_(options), evaluation_(evaluation) {
    for (const Judgement& judgement : evaluation.model) {
      if (!judgement.passed_over.empty()) continue;
      devices_.insert(evaluation.problems[judgement.problem].device->name);
    }
  }

  json report() const {
    json out = {{"regret", by_device(evaluation_.model, Against::kBestConfig)},
                {"with_vendor", by_device(evaluation_.model, Against::kBestWithVendor)},
                {"baselines", json::object()},
                {"by_dtype", by_part([](const TimedProblem& timed) {
                   return std::string(to_string(timed.problem.a_type));
                 })},
                {"by_op", by_part([](const TimedProblem& timed) {
                   return std::string(to_string(timed.problem.op));
                 })},
                {"split", split()},
                {"data_digest", evaluation_.data_digest},
                {"models", evaluation_.models}};
    for (const auto& [name, judgements] : evaluation_.baselines) {
      out["baselines"][name] = by_device(judgements, Against::kBestConfig);
    }
    for (const auto& [name, why] : evaluation_.missing) out["baselines"][name]["missing"] = why;
    if (options_.online) out["online"] = online();
    add_passed_over(out);
    return out;
  }

 private:
  const TimedProblem& problem(size_t index) const { return evaluation_.problems[index]; }

  // How many problems of a device the model has nothing to say of, and why not of the first.
  void add_passed_over(json& out) const {
    out["passed_over"] = json::object();
    for (const Judgement& judgement : evaluation_.model) {
      if (judgement.passed_over.empty()) continue;
      json& of_device = out["passed_over"][problem(judgement.problem).device->name];
      if (of_device.is_null()) of_device = {{"n", 0}, {"why", judgement.passed_over}};
      of_device["n"] = of_device["n"].get<size_t>() + 1;
    }
  }

  json split() const {
    json out = {{"kind", to_string(options_.split)}, {"digest", evaluation_.split_digest}};
    if (options_.split == SplitKind::kGrouped) out["folds"] = options_.folds;
    return out;
  }

  json by_k(const std::vector<Judgement>& judgements, Against against,
            const Accepts& accepts) const {
    json out = json::object();
    for (size_t i = 0; i < options_.ks.size(); ++i) {
      const FoldedSummary summary = summarize(judgements, i, against, accepts);
      if (summary.all.n > 0) out[std::to_string(options_.ks[i])] = to_json(summary);
    }
    return out;
  }

  json by_device(const std::vector<Judgement>& judgements, Against against) const {
    json out = json::object();
    for (const std::string& device : devices_) {
      const json part = by_k(judgements, against,
                             [&](size_t index) { return problem(index).device->name == device; });
      if (!part.empty()) out[device] = part;
    }
    return out;
  }

  json by_part(const std::function<std::string(const TimedProblem&)>& part_of) const {
    json out = json::object();
    for (const std::string& device : devices_) {
      std::set<std::string> parts;
      for (const Judgement& judgement : evaluation_.model) {
        parts.insert(part_of(problem(judgement.problem)));
      }
      for (const std::string& part : parts) {
        const json summary = by_k(evaluation_.model, Against::kBestConfig, [&](size_t index) {
          return problem(index).device->name == device && part_of(problem(index)) == part;
        });
        if (!summary.empty()) out[device][part] = summary;
      }
    }
    return out;
  }

  json online() const {
    json out = {{"timings", options_.timings},
                {"policy", to_string(options_.policy)},
                {"orders", options_.orders},
                {"slow", options_.slow}};
    for (const std::string& device : devices_) {
      out["learning"][device] = streamed(device, true);
      out["frozen"][device] = streamed(device, false);
    }
    return out;
  }

  // Regrets of the streams of a device: fold, order and place in the stream do not matter beyond
  // what `from` and `to` say.
  template <typename Value>
  std::vector<double> collect(const std::string& device, bool learns, size_t from, size_t to,
                              const Value& value) const {
    std::vector<double> regrets;
    for (const StreamRun& run : evaluation_.streams) {
      if (run.device != device || run.learns != learns) continue;
      for (size_t i = from; i < std::min(to, run.choices.size()); ++i) {
        regrets.push_back(value(run.choices[i]));
      }
    }
    return regrets;
  }

  // The windows in which problems came, the best that `timings` found and the first choice in each;
  // and how the best falls with every timing.
  json streamed(const std::string& device, bool learns) const {
    size_t longest = 0;
    for (const StreamRun& run : evaluation_.streams) {
      if (run.device == device) longest = std::max(longest, run.choices.size());
    }
    const auto best = [](const train::StreamedChoice& choice) {
      return choice.reached.empty() ? INFINITY : choice.reached.back();
    };
    const auto first = [](const train::StreamedChoice& choice) { return choice.first; };
    json out;
    for (size_t from = 0; from < longest; from += kWindow) {
      const size_t to = from + kWindow;
      out["windows"].push_back(
          {{"from", from},
           {"to", std::min(to, longest)},
           {"best", to_json(train::summarize_regret(collect(device, learns, from, to, best)))},
           {"first", to_json(train::summarize_regret(collect(device, learns, from, to, first)))}});
    }
    for (size_t timings = 1; timings <= options_.timings; ++timings) {
      const auto after = [&](const train::StreamedChoice& choice) {
        if (choice.reached.empty()) return train::kWorstRegret;
        return choice.reached[std::min(timings, choice.reached.size()) - 1];
      };
      out["by_timings"].push_back(
          train::summarize_regret(collect(device, learns, 0, longest, after)).geomean);
    }
    return out;
  }

  const EvalOptions& options_;
  const Evaluation& evaluation_;
  std::set<std::string> devices_;
};

std::string number(double value, int digits = 4) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string count_of(const json& by_k) {
  return std::to_string(by_k.begin().value()["n"].get<size_t>());
}

void append_row(std::string& out, const std::string& name, const json& by_k) {
  char head[64];
  std::snprintf(head, sizeof head, "  %-22s", name.c_str());
  out += head;
  for (const auto& [k, summary] : by_k.items()) {
    out += "  k=" + k + " " + number(summary["geomean"].get<double>());
    if (summary.contains("fold_deviation")) {
      out += "±" + number(summary["fold_deviation"].get<double>());
    }
    for (const char* figure : {"p90", "p99", "worst"}) {
      out += "/" + number(summary[figure].get<double>(), 3);
    }
  }
  out += "\n";
}

void append_stream(std::string& out, const std::string& name, const json& stream) {
  for (const json& window : stream["windows"]) {
    out += "  " + name + " problems " + std::to_string(window["from"].get<size_t>()) + " to " +
           std::to_string(window["to"].get<size_t>()) + ": best " +
           number(window["best"]["geomean"].get<double>()) + ", first choice " +
           number(window["first"]["geomean"].get<double>()) + "\n";
  }
}

}  // namespace

std::string report_json(const EvalOptions& options, const Evaluation& evaluation) {
  return Reporter(options, evaluation).report().dump(2) + "\n";
}

std::string report_text(const EvalOptions& options, const Evaluation& evaluation) {
  const json report = Reporter(options, evaluation).report();
  std::string out = "split " + std::string(to_string(options.split)) + " " +
                    evaluation.split_digest.substr(0, 16) + "\n";
  for (const auto& [device, by_k] : report["regret"].items()) {
    out += device + ": regret, geometric mean/90th/99th percentile/worst, of " + count_of(by_k) +
           " problems\n";
    append_row(out, "model", by_k);
    if (report["with_vendor"].contains(device)) {
      append_row(out, "model, vendor an arm", report["with_vendor"][device]);
    }
    for (const char* parts : {"by_dtype", "by_op"}) {
      for (const auto& [part, by_part] : report[parts][device].items()) {
        append_row(out, "model, " + part + " (" + count_of(by_part) + ")", by_part);
      }
    }
    for (const auto& [name, baseline] : report["baselines"].items()) {
      if (baseline.contains(device)) append_row(out, name, baseline[device]);
    }
    if (!options.online) continue;
    append_stream(out, "learning", report["online"]["learning"][device]);
    append_stream(out, "frozen", report["online"]["frozen"][device]);
  }
  for (const auto& [device, passed_over] : report["passed_over"].items()) {
    out += device + ": " + std::to_string(passed_over["n"].get<size_t>()) +
           " problems passed over: " + passed_over["why"].get<std::string>() + "\n";
  }
  for (const auto& [name, why] : evaluation.missing) out += name + " is missing: " + why + "\n";
  return out;
}

}  // namespace triode::eval_tool
