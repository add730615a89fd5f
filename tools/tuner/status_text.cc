// SPDX-License-Identifier: Apache-2.0
#include "tools/tuner/status_text.h"

#include <nlohmann/json.hpp>

#include <iomanip>
#include <sstream>

namespace triode::tuner {

std::string to_text(const StatusAnswer& status) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(0);
  text << "tuner " << status.version << ", pid " << status.process << ", up " << status.uptime_s
       << " s, " << status.clients.size() << " clients\n";
  text << "cache " << status.cache << ": " << status.plans << " plans\n";
  text << "so far: " << status.searches << " searches, " << status.plans_found << " plans found, "
       << status.vendor_stays << " times the vendor stays, " << status.withdrawals
       << " withdrawn\n";
  text << "trials: " << status.trials << ", failed " << status.failed_trials << ", workers lost "
       << status.lost_workers << "\n";
  text << "ranked by " << (status.model.empty() ? "heuristics" : "the model " + status.model)
       << "\n";
  text << "waiting: " << status.waiting << "\n";
  if (!status.current.empty()) {
    text << "now: " << status.current << ", trial " << status.current_trials << ", worker pid "
         << status.worker_process << "\n";
  }
  text << std::setprecision(2);
  for (const SentPlan& plan : status.latest) {
    text << "found: " << plan.problem << ", " << plan.speedup << " times as fast as "
         << plan.vendor.substr(0, plan.vendor.find(' ')) << "\n";
  }
  for (const StatusAnswer::Client& client : status.clients) {
    text << "client: pid " << client.process << ", " << client.program << "\n";
  }
  return text.str();
}

std::string to_json(const StatusAnswer& status) {
  nlohmann::ordered_json json{{"version", status.version},
                              {"pid", status.process},
                              {"worker_pid", status.worker_process},
                              {"uptime_s", status.uptime_s},
                              {"cache", status.cache},
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
                              {"current", status.current},
                              {"current_trials", status.current_trials},
                              {"clients", nlohmann::ordered_json::array()},
                              {"latest", nlohmann::ordered_json::array()}};
  for (const StatusAnswer::Client& client : status.clients) {
    json["clients"].push_back({{"pid", client.process}, {"program", client.program}});
  }
  for (const SentPlan& plan : status.latest) {
    json["latest"].push_back({{"problem", plan.problem},
                              {"vendor", plan.vendor},
                              {"config", plan.config},
                              {"speedup", plan.speedup},
                              {"vendor_ns", plan.vendor_ns},
                              {"plan_ns", plan.plan_ns}});
  }
  json["model"] = status.model;
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
