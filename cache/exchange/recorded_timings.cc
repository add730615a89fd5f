// SPDX-License-Identifier: Apache-2.0
#include "cache/exchange/recorded_timings.h"

#include <array>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "cache/exchange/source_file.h"
#include "cache/exchange/timings_reader.h"
#include "core/sha256.h"

namespace triode {
namespace {

using exchange::kTimingsParameters;
using exchange::SourceFile;
using exchange::TimingsReader;
using exchange::TimingsRow;

constexpr double kSecondsPerMs = 1e-3;
constexpr std::string_view kGroup = "group_m";
constexpr int32_t kUsualGroup = 8;  // Inductor's, where no column says

using Values = std::array<int32_t, kTimingsParameters.size()>;

Values values_of(const TimingsRow& row) {
  Values values = row.config;
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] == 0 && kTimingsParameters[i] == kGroup) values[i] = kUsualGroup;
  }
  return values;
}

struct RawTrial {
  Outcome outcome;
  RecordedTime time;
};

// Nobody noted at which step it failed; building it is the first.
RawTrial trial_of(const TimingsRow& row) {
  if (row.has_failed) {
    return {{OutcomeKind::kCompileFailed, "did not run where it was recorded"}, {}};
  }
  return {{},
          {.median_s = row.median_ms * kSecondsPerMs,
           .min_s = row.least_ms * kSecondsPerMs,
           .max_s = row.greatest_ms * kSecondsPerMs,
           .repeats = row.repeats}};
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = (c >= 'A' && c <= 'Z') ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

// Collects rows into problems; the configs become Configs once all values are known.
class Collector {
 public:
  explicit Collector(std::string_view device) : device_(lower_case(device)) {}

  void add(const TimingsRow& row) {
    const std::string device = row.device.empty() ? device_ : lower_case(row.device);
    Entry& entry = entry_of(row.problem, device, row.dataset);
    const RawTrial trial = trial_of(row);
    if (row.is_vendors) {
      entry.problem.has_vendor = trial.outcome.ok();
      entry.problem.vendor = trial.time;
      return;
    }
    const Values values = values_of(row);
    entry.trials.try_emplace(values, trial);
    for (size_t i = 0; i < values.size(); ++i) seen_[i].insert(values[i]);
  }

  void finish(RecordedTimings& timings) {
    for (size_t i = 0; i < kTimingsParameters.size(); ++i) {
      timings.space.add(
          {std::string(kTimingsParameters[i]), {seen_[i].begin(), seen_[i].end()}, {}});
    }
    for (Entry& entry : entries_) {
      // A map of values is in the order of Space::index_of: values rise in both.
      for (const auto& [values, trial] : entry.trials) {
        Config config(values.size());
        for (size_t i = 0; i < values.size(); ++i) config[i] = values[i];
        entry.problem.trials.push_back({config, trial.outcome, trial.time});
      }
      timings.problems.push_back(std::move(entry.problem));
    }
  }

 private:
  struct Entry {
    RecordedProblem problem;
    std::map<Values, RawTrial> trials;
  };

  Entry& entry_of(const Problem& problem, const std::string& device, std::string_view dataset) {
    const std::string key = device + '\n' + std::string(dataset) + '\n' + to_string(problem);
    const auto [found, is_new] = positions_.try_emplace(key, entries_.size());
    if (is_new) {
      entries_.emplace_back();
      entries_.back().problem.device = device;
      entries_.back().problem.dataset = dataset;
      entries_.back().problem.problem = problem;
    }
    return entries_[found->second];
  }

  std::string device_;
  std::vector<Entry> entries_;
  std::unordered_map<std::string, size_t> positions_;
  std::array<std::set<int32_t>, kTimingsParameters.size()> seen_;
};

Result<RecordedTimings> parse(const SourceFile& file, std::string_view device) {
  TimingsReader reader(file);
  TRIODE_TRY(reader.read_header());
  if (reader.is_full_space() && device.empty()) {
    return reader.error("no column names the device; give one");
  }
  Collector collector(device);
  while (TRIODE_TRY(reader.next())) collector.add(reader.row());
  RecordedTimings timings;
  timings.family = reader.is_full_space() ? KernelFamily::kTriton : KernelFamily::kInductor;
  timings.digest = to_hex(sha256(file.bytes()));
  collector.finish(timings);
  if (timings.problems.empty()) return file.error("there is no row behind the header");
  return timings;
}

}  // namespace

Result<RecordedTimings> parse_recorded_timings(std::string_view text, std::string_view device) {
  return parse(SourceFile("recorded timings", std::string(text)), device);
}

Result<RecordedTimings> read_recorded_timings(const std::string& path, std::string_view device) {
  return parse(TRIODE_TRY(SourceFile::read(path)), device);
}

}  // namespace triode
