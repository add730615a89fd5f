// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "tools/bench/cache_contestant.h"

namespace triode::bench {
namespace {

// Its lines are: kernel and types, sizes, the choice, its time.
class CsvCache final : public CacheContestant {
 public:
  explicit CsvCache(std::string folder) : path_(std::move(folder) + "/tunableop_results.csv") {}

  std::string_view name() const override { return "csv"; }

  Status open() override {
    std::ifstream file(path_);
    std::string line;
    while (std::getline(file, line)) {
      const size_t problem = line.find(','), config = line.find(',', problem + 1);
      const size_t time = line.rfind(',');
      if (problem == std::string::npos || config == std::string::npos || time <= config) continue;
      results_[line.substr(0, problem) + '_' + line.substr(problem + 1, config - problem - 1)]
              [line.substr(config + 1, time - config - 1)] =
                  std::strtod(line.c_str() + time + 1, nullptr);
    }
    return {};
  }
  void close() override { results_.clear(); }

  Status write(std::span<const KeyedTrial> trials) override {
    for (const KeyedTrial& trial : trials) {
      results_[signature(trial.key)][trial.key.config] = trial.record.measurement.median_ns;
    }
    return {};
  }

  Result<double> get(const SampleKey& key) override {
    const auto problem = results_.find(signature(key));
    if (problem == results_.end()) return not_found("no such problem");
    const auto config = problem->second.find(key.config);
    if (config == problem->second.end()) return not_found("no such config");
    return config->second;
  }

  Status compact() override {
    std::ofstream file(path_, std::ios::trunc);
    for (const auto& [problem, configs] : results_) {
      std::string start = problem;
      start[start.find('_')] = ',';
      for (const auto& [config, time] : configs) {
        file << start << ',' << config << ',' << time << '\n';
      }
    }
    return file.flush() ? Status() : unavailable("cannot write " + path_);
  }

  std::int64_t disk_bytes() const override {
    std::error_code ignored;  // no file, no bytes
    const auto size = std::filesystem::file_size(path_, ignored);
    return ignored ? 0 : static_cast<std::int64_t>(size);
  }

 private:
  // "GemmTunableOp_<problem>": a device's file is its own, and a toolchain's change discards it.
  static std::string signature(const SampleKey& key) { return "GemmTunableOp_" + key.problem; }

  const std::string path_;
  std::unordered_map<std::string, std::unordered_map<std::string, double>> results_;
};

}  // namespace

std::unique_ptr<CacheContestant> make_csv_cache(const std::string& folder) {
  return std::make_unique<CsvCache>(folder);
}

}  // namespace triode::bench
