// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace triode::tuner {

// A counter, or how often values fell below each of some bounds.
struct Metric {
  std::string name;   // "trials", without a prefix
  std::string label;  // tells metrics of one name apart: "outcome=ok"; empty: there is one alone
  std::vector<double> bounds;    // rising; none: a counter
  std::vector<uint64_t> counts;  // values up to each bound, and beyond the last; of a counter, one
  double sum = 0;                // of the values; of a counter, 0

  uint64_t total() const;
  template <typename Codec>
  void fields(Codec& codec) {
    codec(name, label, bounds, counts, sum);
  }
  bool operator==(const Metric&) const = default;
};

// What a tuner counts. Any thread; a call takes a lock for less than a microsecond. Names and
// labels are the caller's own words: there must be few.
class Metrics {
 public:
  void count(const std::string& name, const std::string& label = "", uint64_t by = 1);
  // Into bounds of 1, 2, 5, 10, ... from 1e-5 to 1e5.
  void observe(const std::string& name, double value);

  std::vector<Metric> all() const;  // by name and label

 private:
  mutable std::mutex mutex_;  // guards what follows
  std::map<std::pair<std::string, std::string>, Metric> metrics_;
};

// The text format of Prometheus, each name with the prefix "triode_tuner_".
std::string to_prometheus(const std::vector<Metric>& metrics);

}  // namespace triode::tuner
