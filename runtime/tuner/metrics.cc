// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/metrics.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>

namespace triode::tuner {
namespace {

std::vector<double> usual_bounds() {
  std::vector<double> bounds;
  for (int power = -5; power <= 4; ++power) {
    for (const double digit : {1.0, 2.0, 5.0}) bounds.push_back(digit * std::pow(10.0, power));
  }
  bounds.push_back(1e5);
  return bounds;
}

std::string number(double value) {
  constexpr int kDigits = 6;
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                 std::chars_format::general, kDigits);
  return {text.data(), end.ptr};
}

// "outcome=ok" as {outcome="ok"}.
std::string braces(const std::string& label) {
  const size_t equals = label.find('=');
  if (equals == std::string::npos) return "";
  return '{' + label.substr(0, equals) + "=\"" + label.substr(equals + 1) + "\"}";
}

std::string histogram_lines(const std::string& name, const Metric& metric) {
  std::string text;
  uint64_t up_to = 0;
  for (size_t i = 0; i < metric.counts.size(); ++i) {
    up_to += metric.counts[i];
    const std::string bound = i < metric.bounds.size() ? number(metric.bounds[i]) : "+Inf";
    text += name + "_bucket{le=\"" + bound + "\"} " + std::to_string(up_to) + '\n';
  }
  return text + name + "_sum " + number(metric.sum) + '\n' + name + "_count " +
         std::to_string(metric.total()) + '\n';
}

}  // namespace

uint64_t Metric::total() const {
  return std::accumulate(counts.begin(), counts.end(), uint64_t{0});
}

void Metrics::count(const std::string& name, const std::string& label, uint64_t by) {
  const std::lock_guard lock(mutex_);
  Metric& metric =
      metrics_.try_emplace({name, label}, Metric{name, label, {}, {0}, 0}).first->second;
  metric.counts.front() += by;
}

void Metrics::observe(const std::string& name, double value) {
  static const std::vector<double> kBounds = usual_bounds();
  if (!std::isfinite(value)) return;
  const std::lock_guard lock(mutex_);
  Metric& metric =
      metrics_
          .try_emplace({name, ""},
                       Metric{name, "", kBounds, std::vector<uint64_t>(kBounds.size() + 1), 0})
          .first->second;
  const auto bound = std::lower_bound(kBounds.begin(), kBounds.end(), value);
  ++metric.counts[static_cast<size_t>(bound - kBounds.begin())];
  metric.sum += value;
}

std::vector<Metric> Metrics::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<Metric> all;
  for (const auto& [identity, metric] : metrics_) all.push_back(metric);
  return all;
}

std::string to_prometheus(const std::vector<Metric>& metrics) {
  std::string text;
  std::string typed;  // name whose type was said
  for (const Metric& metric : metrics) {
    const bool is_counter = metric.bounds.empty();
    const std::string name = "triode_tuner_" + metric.name + (is_counter ? "_total" : "");
    if (typed != name) text += "# TYPE " + name + (is_counter ? " counter\n" : " histogram\n");
    typed = name;
    text += is_counter ? name + braces(metric.label) + ' ' + std::to_string(metric.total()) + '\n'
                       : histogram_lines(name, metric);
  }
  return text;
}

}  // namespace triode::tuner
