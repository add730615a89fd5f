// SPDX-License-Identifier: Apache-2.0
#include "cache/exchange/recorded_timings.h"

#include <array>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "cache/exchange/diode_file.h"
#include "cache/exchange/source_file.h"
#include "cache/exchange/timings_reader.h"
#include "core/sha256.h"

namespace triode {
namespace {

using exchange::ExchangeRow;
using exchange::ExchangeTable;
using exchange::kTimingsParameters;
using exchange::SourceFile;
using exchange::TimingsReader;
using exchange::TimingsRow;

constexpr double kSecondsPerMs = 1e-3;
constexpr double kSecondsPerNs = 1e-9;
constexpr std::string_view kDiodeDataset = "diode";
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

RawTrial trial_of(const ExchangeRow& row) {
  const double seconds = row.measurement.median_ns * kSecondsPerNs;
  return {row.outcome, {.median_s = seconds, .min_s = seconds, .max_s = seconds, .repeats = 1}};
}

// False for a kernel that has no tile, as the vendor's.
bool read_values(const ExchangeRow& row, Values& values) {
  for (size_t i = 0; i < values.size(); ++i) {
    const int64_t usual = kTimingsParameters[i] == kGroup ? kUsualGroup : 0;
    values[i] = static_cast<int32_t>(row.config.number_or(kTimingsParameters[i], usual));
  }
  return values[0] > 0 && values[1] > 0 && values[2] > 0;
}

// Where a config may compute in tf32, the problem is one of tf32: it runs as fast as such.
Problem problem_of(const ExchangeRow& row) {
  Problem problem = row.problem;
  const exchange::ParameterValue* tf32 = row.config.find("ALLOW_TF32");
  const bool is_allowed = tf32 != nullptr && *tf32 == exchange::ParameterValue(true);
  if (is_allowed && problem.a_type == DType::kF32 && problem.b_type == DType::kF32) {
    problem.a_type = problem.b_type = DType::kTF32;
  }
  return problem;
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
    add(entry, values_of(row), trial);
  }

  // Passes over a kernel without a tile.
  void add(const ExchangeRow& row) {
    Values values{};
    if (!read_values(row, values)) return;
    add(entry_of(problem_of(row), lower_case(row.target.device), kDiodeDataset), values,
        trial_of(row));
  }

  void finish(RecordedTimings& timings) {
    if (entries_.empty()) return;  // no values to make a space of
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

  void add(Entry& entry, const Values& values, const RawTrial& trial) {
    entry.trials.try_emplace(values, trial);
    for (size_t i = 0; i < values.size(); ++i) seen_[i].insert(values[i]);
  }

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

bool is_diode(const SourceFile& file) {
  return file.base_name().ends_with(".msgpack") || file.bytes().starts_with('{');
}

Result<RecordedTimings> parse_diode(const SourceFile& file) {
  const bool is_msgpack = !file.bytes().starts_with('{');
  const ExchangeTable table = TRIODE_TRY(exchange::read_diode(
      file, is_msgpack ? exchange::DiodeEncoding::kMsgpack : exchange::DiodeEncoding::kJson));
  Collector collector("");
  for (const ExchangeRow& row : table.rows) {
    if (row.measurement.count == 0) return file.error("a Table holds no times; give a Dataset");
    collector.add(row);
  }
  RecordedTimings timings;
  timings.family = KernelFamily::kInductor;
  timings.digest = to_hex(sha256(file.bytes()));
  collector.finish(timings);
  if (!timings.problems.empty()) return timings;
  std::string reason = "it holds no timing of a Triton config";
  for (const auto& dropped : table.dropped.entries()) reason += "; " + dropped.reason;
  return file.error(reason);
}

Result<RecordedTimings> parse(const SourceFile& file, std::string_view device) {
  if (is_diode(file)) return parse_diode(file);
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
