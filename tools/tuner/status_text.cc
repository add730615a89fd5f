// SPDX-License-Identifier: Apache-2.0
#include "tools/tuner/status_text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <iomanip>
#include <sstream>
#include <system_error>

#include "runtime/tuner/search_journal.h"

namespace triode::tuner {
namespace {

namespace fs = std::filesystem;

// The costliest; --json tells of all.
constexpr size_t kShownAsText = 10;

std::string model_text(const SentModel& model) {
  if (model.name.empty()) return "heuristics";
  return "the model " + model.name + ' ' + model.digest.substr(0, 12) + ", " + model.origin +
         ", which has learned from " + std::to_string(model.learned) + " trials";
}

std::string problem_text(const SentProblem& problem) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(2) << to_string(problem.state) << ": " << problem.problem;
  if (problem.speedup > 0) text << ", " << problem.speedup << " times as fast";
  text << ", " << problem.use.vendor_calls + problem.use.plan_calls << " calls, "
       << 1e-9 * problem.use.total_ns() << " s\n";
  return text.str();
}

nlohmann::ordered_json figures_json(const CallFigures& use) {
  return {{"vendor_calls", use.vendor_calls},
          {"vendor_ns", use.vendor_ns},
          {"plan_calls", use.plan_calls},
          {"plan_ns", use.plan_ns}};
}

nlohmann::ordered_json problem_json(const SentProblem& problem) {
  return {{"problem", problem.problem},      {"vendor", problem.vendor},
          {"target", problem.target},        {"state", to_string(problem.state)},
          {"config", problem.config},        {"remark", problem.remark},
          {"speedup", problem.speedup},      {"vendor_ns", problem.vendor_ns},
          {"plan_ns", problem.plan_ns},      {"expected_saving", problem.expected_saving},
          {"trials", problem.trials},        {"clients", problem.clients},
          {"use", figures_json(problem.use)}};
}

}  // namespace

std::optional<double> first_choice_regret(const StatusAnswer& status) {
  for (const Metric& metric : status.metrics) {
    if (metric.name == kFirstChoiceRegret && metric.total() > 0) {
      return metric.sum / static_cast<double>(metric.total());
    }
  }
  return std::nullopt;
}

uint64_t folder_bytes(const std::string& folder) {
  uint64_t bytes = 0;
  std::error_code error;  // files come and go meanwhile
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code gone;
    const uintmax_t size = it->is_regular_file(gone) ? it->file_size(gone) : 0;
    if (!gone) bytes += size;
  }
  return bytes;
}

std::string to_text(const StatusAnswer& status, uint64_t cache_bytes) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(0);
  text << "tuner " << status.version << ", pid " << status.process << ", up " << status.uptime_s
       << " s, " << status.clients.size() << " clients\n";
  text << "cache " << status.cache << ": " << status.plans << " plans, " << (cache_bytes >> 10)
       << " KiB\n";
  text << "so far: " << status.searches << " searches, " << status.plans_found << " plans found, "
       << status.vendor_stays << " times the vendor stays, " << status.withdrawals
       << " withdrawn\n";
  text << "trials: " << status.trials << " (" << status.trials_per_second << " a second), failed "
       << status.failed_trials << ", workers lost " << status.lost_workers << "\n";
  text << "ranked by " << model_text(status.model) << "\n";
  if (const std::optional<double> regret = first_choice_regret(status)) {
    text << std::setprecision(2) << "first choices took " << *regret
         << " times as long as the best found\n"
         << std::setprecision(0);
  }
  text << "waiting: " << status.waiting << "\n";
  if (!status.current.empty()) {
    text << "now: " << status.current << ", trial " << status.current_trials << ", worker pid "
         << status.worker_process << "\n";
  }
  text << std::setprecision(2);
  for (size_t i = 0; i < std::min(kShownAsText, status.problems.size()); ++i) {
    text << problem_text(status.problems[i]);
  }
  if (status.problem_count > kShownAsText) {
    text << "and " << status.problem_count - kShownAsText << " problems more; see --json\n";
  }
  for (const SentPlan& plan : status.latest) {
    text << "found: " << plan.problem << ", " << plan.speedup << " times as fast as "
         << plan.vendor.substr(0, plan.vendor.find(' ')) << "\n";
  }
  for (const StatusAnswer::Client& client : status.clients) {
    text << "client: pid " << client.process << ", " << client.program << "\n";
  }
  return text.str();
}

std::string to_json(const StatusAnswer& status, uint64_t cache_bytes) {
  nlohmann::ordered_json json{{"version", status.version},
                              {"pid", status.process},
                              {"worker_pid", status.worker_process},
                              {"uptime_s", status.uptime_s},
                              {"cache", status.cache},
                              {"cache_bytes", cache_bytes},
                              {"log", status.log},
                              {"searches", status.searches},
                              {"trials", status.trials},
                              {"failed_trials", status.failed_trials},
                              {"lost_workers", status.lost_workers},
                              {"plans_found", status.plans_found},
                              {"vendor_stays", status.vendor_stays},
                              {"withdrawals", status.withdrawals},
                              {"plans", status.plans},
                              {"waiting", status.waiting},
                              {"trials_per_second", status.trials_per_second},
                              {"current", status.current},
                              {"current_trials", status.current_trials},
                              {"clients", nlohmann::ordered_json::array()},
                              {"problem_count", status.problem_count},
                              {"problems", nlohmann::ordered_json::array()},
                              {"latest", nlohmann::ordered_json::array()}};
  for (const StatusAnswer::Client& client : status.clients) {
    json["clients"].push_back({{"pid", client.process},
                               {"program", client.program},
                               {"trusts_model", client.trusts_model},
                               {"problems", client.problems},
                               {"use", figures_json(client.use)}});
  }
  for (const SentProblem& problem : status.problems) {
    json["problems"].push_back(problem_json(problem));
  }
  for (const SentPlan& plan : status.latest) {
    json["latest"].push_back({{"problem", plan.problem},
                              {"vendor", plan.vendor},
                              {"config", plan.config},
                              {"speedup", plan.speedup},
                              {"vendor_ns", plan.vendor_ns},
                              {"plan_ns", plan.plan_ns}});
  }
  json["model"] = status.model.name;
  json["model_digest"] = status.model.digest;
  json["model_origin"] = status.model.origin;
  json["model_learned"] = status.model.learned;
  json["first_choice_regret"] = first_choice_regret(status).value_or(0);
  json["counters"] = nlohmann::ordered_json::object();
  json["histograms"] = nlohmann::ordered_json::object();
  for (const Metric& metric : status.metrics) {
    if (metric.bounds.empty()) {
      json["counters"][metric.name + (metric.label.empty() ? "" : '{' + metric.label + '}')] =
          metric.total();
    } else {
      json["histograms"][metric.name] = {
          {"bounds", metric.bounds}, {"counts", metric.counts}, {"sum", metric.sum}};
    }
  }
  // A program's path may be any bytes.
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

}  // namespace triode::tuner
