// SPDX-License-Identifier: Apache-2.0
#include "cache/exchange/recorded_timings.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "core/sha256.h"

namespace triode {
namespace {

constexpr std::array<std::string_view, 6> kParameters = {"block_m", "block_n",    "block_k",
                                                         "group_m", "num_stages", "num_warps"};
constexpr int32_t kUsualGroup = 8;  // Inductor's, where no column says
constexpr size_t kMaxFileBytes = size_t{1} << 30;

using Fields = std::vector<std::string_view>;

void split_line(std::string_view line, Fields& fields) {
  fields.clear();
  for (size_t begin = 0;;) {
    const size_t comma = line.find(',', begin);
    fields.push_back(line.substr(begin, comma - begin));
    if (comma == std::string_view::npos) return;
    begin = comma + 1;
  }
}

// The columns by name, and the line being read.
class Row {
 public:
  explicit Row(const Fields& header) {
    for (size_t i = 0; i < header.size(); ++i) columns_.emplace(header[i], i);
    width_ = header.size();
  }

  bool has(std::string_view column) const { return columns_.contains(column); }
  Status next(std::string_view line, size_t number) {
    split_line(line, fields_);
    number_ = number;
    if (fields_.size() == width_) return {};
    return error("has " + std::to_string(fields_.size()) + " fields, the header " +
                 std::to_string(width_));
  }
  std::string_view text(std::string_view column) const {
    const auto found = columns_.find(column);
    return found == columns_.end() ? std::string_view() : fields_[found->second];
  }
  Result<int64_t> whole(std::string_view column) const {
    int64_t value = 0;
    return parse(column, value);
  }
  Result<double> real(std::string_view column) const {
    double value = 0;
    return parse(column, value);
  }
  Status error(const std::string& what) const {
    return invalid_argument("recorded timings, line " + std::to_string(number_) + ": " + what);
  }

 private:
  template <typename Number>
  Result<Number> parse(std::string_view column, Number value) const {
    const std::string_view field = text(column);
    const auto [end, fault] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (fault != std::errc() || end != field.data() + field.size()) {
      return error("column " + std::string(column) + " is not a number");
    }
    return value;
  }

  std::unordered_map<std::string_view, size_t> columns_;
  size_t width_ = 0;
  Fields fields_;
  size_t number_ = 0;
};

Result<DType> dtype_of(const Row& row) {
  const std::string_view name = row.text("dtype_a");
  if (name != row.text("dtype_b")) return row.error("a and b differ in type");
  if (name == "float16") return DType::kF16;
  if (name == "bfloat16") return DType::kBF16;
  if (name == "float32") return row.text("tf32") == "True" ? DType::kTF32 : DType::kF32;
  return row.error("the type is none of float16, bfloat16, float32");
}

struct StoredOperand {
  bool transposed = false;
  int64_t ld = 0;
};

// Of an operand with these strides over its logical rows and columns. The stride over a dimension
// of length one says nothing, so a short leading dimension is lifted to the least.
StoredOperand stored(int64_t row_stride, int64_t column_stride, int64_t rows, int64_t columns) {
  const bool transposed = column_stride != 1;
  const int64_t ld = transposed ? column_stride : row_stride;
  return {transposed, std::max(ld, transposed ? rows : columns)};
}

Result<Problem> problem_of(const Row& row) {
  const int64_t m = TRIODE_TRY(row.whole("m"));
  const int64_t n = TRIODE_TRY(row.whole("n"));
  const int64_t k = TRIODE_TRY(row.whole("k"));
  Problem problem = Problem::mm(DType::kF16, m, n, k);
  if (row.has("dtype_a")) {
    const StoredOperand a =
        stored(TRIODE_TRY(row.whole("sa0")), TRIODE_TRY(row.whole("sa1")), m, k);
    const StoredOperand b =
        stored(TRIODE_TRY(row.whole("sb0")), TRIODE_TRY(row.whole("sb1")), k, n);
    problem = Problem::mm(TRIODE_TRY(dtype_of(row)), m, n, k, a.transposed, b.transposed);
    problem.lda = a.ld;
    problem.ldb = b.ld;
  }
  const Status status = problem.validate();
  return status.ok() ? Result<Problem>(problem) : row.error(status.message());
}

using Values = std::array<int32_t, kParameters.size()>;

Result<Values> values_of(const Row& row) {
  Values values{};
  for (size_t i = 0; i < values.size(); ++i) {
    if (!row.has(kParameters[i])) {
      values[i] = kUsualGroup;
      continue;
    }
    const int64_t value = TRIODE_TRY(row.whole(kParameters[i]));
    if (value < 1 || value > (1 << 20)) {
      return row.error(std::string(kParameters[i]) + " is out of range");
    }
    values[i] = static_cast<int32_t>(value);
  }
  return values;
}

struct RawTrial {
  Values values{};
  Outcome outcome;
  RecordedTime time;
};

Result<double> seconds_of(const Row& row, std::string_view column) {
  const double ms = TRIODE_TRY(row.real(column));
  if (!std::isfinite(ms) || ms <= 0) return row.error(std::string(column) + " is not a time");
  return ms * 1e-3;
}

// No time and the outcome of a failure where the config did not run.
Result<RawTrial> trial_of(const Row& row) {
  RawTrial trial;
  const bool is_short = row.has("ok");
  const bool failed = is_short ? row.text("ok") == "0" : row.text("med_ms").empty();
  if (failed) {
    trial.outcome = {OutcomeKind::kCompileFailed, "did not run where it was recorded"};
    return trial;
  }
  trial.time.median_s = TRIODE_TRY(seconds_of(row, is_short ? "ms" : "med_ms"));
  trial.time.min_s = is_short ? trial.time.median_s : TRIODE_TRY(seconds_of(row, "min_ms"));
  trial.time.max_s = is_short ? trial.time.median_s : TRIODE_TRY(seconds_of(row, "max_ms"));
  if (row.has("nreps")) {
    trial.time.repeats =
        static_cast<int32_t>(std::clamp<int64_t>(TRIODE_TRY(row.whole("nreps")), 1, 1 << 20));
  }
  return trial;
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

  Status add(const Row& row) {
    const Problem problem = TRIODE_TRY(problem_of(row));
    const std::string device = row.has("device") ? lower_case(row.text("device")) : device_;
    if (device.empty()) return row.error("no column names the device; give one");
    Entry& entry = entry_of(problem, device, row.text("dataset"));
    RawTrial trial = TRIODE_TRY(trial_of(row));
    if (row.text("kind") == "extern_mm") {
      entry.problem.has_vendor = trial.outcome.ok();
      entry.problem.vendor = trial.time;
      return {};
    }
    trial.values = TRIODE_TRY(values_of(row));
    entry.trials.try_emplace(trial.values, trial);
    for (size_t i = 0; i < trial.values.size(); ++i) seen_[i].insert(trial.values[i]);
    return {};
  }

  void finish(RecordedTimings& timings) {
    for (size_t i = 0; i < kParameters.size(); ++i) {
      timings.space.add({std::string(kParameters[i]), {seen_[i].begin(), seen_[i].end()}, {}});
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
  std::array<std::set<int32_t>, kParameters.size()> seen_;
};

Status check_header(const Fields& header) {
  const auto has = [&](std::string_view name) {
    return std::find(header.begin(), header.end(), name) != header.end();
  };
  for (const std::string_view name :
       {"m", "n", "k", "block_m", "block_n", "block_k", "num_stages", "num_warps"}) {
    if (!has(name)) {
      return invalid_argument("recorded timings have no column " + std::string(name) +
                              "; docs/learning.md names the columns");
    }
  }
  for (const std::string_view name :
       {"dtype_b", "sa0", "sa1", "sb0", "sb1", "tf32", "kind", "med_ms", "min_ms", "max_ms"}) {
    if (has("dtype_a") && !has(name)) {
      return invalid_argument("recorded timings have no column " + std::string(name));
    }
  }
  if (has("dtype_a") || (has("ok") && has("ms"))) return {};
  return invalid_argument("recorded timings have neither dtype_a nor the columns ok and ms");
}

std::string_view without_return(std::string_view line) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

struct GzClose {
  void operator()(gzFile file) const { gzclose(file); }
};

// gzread hands uncompressed files through as they are.
Result<std::string> read_maybe_compressed(const std::string& path) {
  const std::unique_ptr<gzFile_s, GzClose> file(gzopen(path.c_str(), "rb"));
  if (!file) return not_found("cannot open " + path + ": " + std::strerror(errno));
  std::string text;
  std::array<char, 1 << 16> chunk;
  for (;;) {
    const int count = gzread(file.get(), chunk.data(), chunk.size());
    if (count < 0) return corrupt(path + " is damaged: its compressed data do not make sense");
    if (count == 0) break;
    text.append(chunk.data(), static_cast<size_t>(count));
    if (text.size() > kMaxFileBytes) return resource_exhausted(path + " is larger than 1 GiB");
  }
  int fault = 0;
  gzerror(file.get(), &fault);
  if (fault != Z_OK) return corrupt(path + " ends too early");
  return text;
}

}  // namespace

Result<RecordedTimings> parse_recorded_timings(std::string_view text, std::string_view device) {
  Fields header;
  size_t end = text.find('\n');
  split_line(without_return(text.substr(0, end)), header);
  TRIODE_TRY(check_header(header));
  Row row(header);
  Collector collector(device);
  for (size_t number = 2; end < text.size(); ++number) {
    const size_t begin = end + 1;
    end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = without_return(text.substr(begin, end - begin));
    if (line.empty()) continue;
    TRIODE_TRY(row.next(line, number));
    TRIODE_TRY(collector.add(row));
  }
  RecordedTimings timings;
  timings.family = row.has("dtype_a") ? KernelFamily::kInductor : KernelFamily::kTriton;
  timings.digest = to_hex(sha256(text));
  collector.finish(timings);
  if (timings.problems.empty()) return invalid_argument("recorded timings hold no row");
  return timings;
}

Result<RecordedTimings> read_recorded_timings(const std::string& path, std::string_view device) {
  const std::string text = TRIODE_TRY(read_maybe_compressed(path));
  Result<RecordedTimings> timings = parse_recorded_timings(text, device);
  if (timings.ok()) return timings;
  return Status(timings.status().code(), path + ": " + timings.status().message());
}

}  // namespace triode
