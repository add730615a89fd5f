// SPDX-License-Identifier: Apache-2.0
#include "tools/collect/collected_trials.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <set>
#include <utility>

#include "cache/cache.h"
#include "cache/exchange/device_text.h"
#include "cache/exchange/gzip.h"
#include "cache/exchange/source_file.h"
#include "core/measurement.h"
#include "jit/x86/gemm_space.h"
#include "tools/collect/data_files.h"

namespace triode::collect {
namespace {

constexpr std::string_view kFirstLine = "triode trials 1";

// A trial during which the ratio to the vendor's time varied more than this, or the vendor itself
// was slower by this factor than it can be, was disturbed: it says more about the machine than
// about the config.
constexpr double kMostSpread = 0.05;
constexpr double kMostSlowdown = 1.15;
constexpr int32_t kLeastRounds = 3;  // of fewer the spread says nothing

bool is_cpu(const Target& target) {
  return target.isa.starts_with("avx");
}

std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.5g", value);
  return text;
}

// Puts the lines of one problem together: the vendor's time comes before its configs.
class TextWriter {
 public:
  void add(const SampleKey& key, const TrialRecord& record) {
    if (key.device != device_) {
      finish_problem();
      device_ = key.device;
      is_cpu_ = is_cpu(exchange::target_of(device_, key.validity));
      if (is_cpu_) text_ += "device\t" + device_ + "\n";
    }
    if (!is_cpu_ || record.outcome.kind == OutcomeKind::kUnstable) return;
    if (key.problem != problem_) {
      finish_problem();
      problem_ = key.problem;
    }
    configs_.push_back({key.config, record.outcome.kind, record.measurement,
                        record.vendor.value_or(VendorTime())});
  }

  std::string take() && {
    finish_problem();
    return std::move(text_);
  }

 private:
  struct Entry {
    std::string config;
    OutcomeKind outcome;
    Measurement measurement;
    VendorTime vendor;  // zero: not timed

    bool is_paired() const { return outcome == OutcomeKind::kOk && vendor.speedup > 0; }
  };

  // The vendor's time when nothing disturbed it: the lower quartile, since what disturbs only adds.
  double undisturbed_vendor_ns() const {
    std::vector<double> times;
    for (const Entry& entry : configs_) {
      if (entry.is_paired()) times.push_back(entry.vendor.median_ns);
    }
    if (times.empty()) return 0;
    const auto quartile = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 4);
    std::nth_element(times.begin(), quartile, times.end());
    return *quartile;
  }

  static bool is_disturbed(const Entry& entry, double vendor_ns, bool is_threaded) {
    if (!entry.is_paired()) return false;
    if (entry.measurement.count < kLeastRounds) return true;
    if (is_threaded) return entry.measurement.spread > kMostSpread;
    return entry.vendor.speedup_spread > kMostSpread ||
           entry.vendor.median_ns > kMostSlowdown * vendor_ns;
  }

  // Configs of one problem may have been timed on different days: what they share is the vendor's
  // kernel, timed beside each of them. Not so on several threads: there the vendor's own threads,
  // which wake up now sooner and now later, would spoil the ratio.
  static std::string time_text(const Entry& entry, double vendor_ns, bool is_threaded) {
    if (entry.outcome != OutcomeKind::kOk) return std::string(to_string(entry.outcome));
    const bool by_ratio = entry.is_paired() && !is_threaded;
    return number_text(by_ratio ? vendor_ns / entry.vendor.speedup : entry.measurement.median_ns);
  }

  void finish_problem() {
    const double vendor_ns = undisturbed_vendor_ns();
    const Result<Problem> problem = parse_problem(problem_);
    const bool is_threaded = problem.ok() && problem->threads > 1;
    std::string lines;
    size_t kept = 0;
    for (const Entry& entry : configs_) {
      if (is_disturbed(entry, vendor_ns, is_threaded)) continue;
      lines += time_text(entry, vendor_ns, is_threaded) + "\t" + entry.config + "\n";
      ++kept;
    }
    if (kept > 0 && 2 * kept >= configs_.size()) {
      text_ += "problem\t" + problem_ + "\t" + number_text(vendor_ns) + "\n" + lines;
    }
    problem_.clear();
    configs_.clear();
  }

  std::string text_ = std::string(kFirstLine) + "\n";
  std::string device_;
  bool is_cpu_ = false;
  std::string problem_;
  std::vector<Entry> configs_;
};

// A parameter that the space got after the trial was made does nothing at its first value.
std::string with_later_parameters(const Space& space, std::string_view text) {
  std::string whole(text);
  for (const Parameter& parameter : space.parameters()) {
    if ((" " + whole).find(" " + parameter.name + "=") != std::string::npos) continue;
    whole += " " + parameter.name + "=";
    whole += parameter.labels.empty() ? std::to_string(parameter.values.front())
                                      : parameter.labels.front();
  }
  return whole;
}

// Cuts a line at its tabs.
std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (size_t end = line.find('\t'); end != std::string_view::npos; end = line.find('\t')) {
    fields.push_back(line.substr(0, end));
    line.remove_prefix(end + 1);
  }
  fields.push_back(line);
  return fields;
}

Result<double> time_of(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value) ||
      value < 0) {
    return invalid_argument("'" + std::string(text) + "' is no time");
  }
  return value;
}

class TextReader {
 public:
  Status read_line(std::string_view line) {
    const std::vector<std::string_view> fields = fields_of(line);
    if (fields[0] == "device" && fields.size() == 2) return read_device(fields[1]);
    if (fields[0] == "problem" && fields.size() == 3) return read_problem(fields[1], fields[2]);
    if (fields.size() == 2) return read_config(fields[0], fields[1]);
    return invalid_argument("neither a device, a problem nor a config");
  }

  std::vector<train::TimedProblem> take() && {
    std::erase_if(problems_, [](const train::TimedProblem& timed) {
      return std::ranges::all_of(timed.seconds, [](double s) { return std::isnan(s); });
    });
    return std::move(problems_);
  }

 private:
  Status read_device(std::string_view text) {
    const Target target = exchange::target_of(text, {});
    if (!is_cpu(target)) return invalid_argument("'" + std::string(text) + "' is no CPU");
    device_ = std::make_shared<const DeviceTraits>(TRIODE_TRY(traits_of(target)));
    cores_ = target.cores;
    has_problem_ = false;
    return {};
  }

  Status read_problem(std::string_view text, std::string_view vendor_ns) {
    if (!device_) return invalid_argument("a problem before any device");
    train::TimedProblem timed;
    timed.problem = TRIODE_TRY(parse_problem(text));
    const double vendor = TRIODE_TRY(time_of(vendor_ns));
    if (vendor > 0) timed.vendor_s = vendor * 1e-9;
    timed.space = std::make_shared<const Space>(
        TRIODE_TRY(x86::gemm_space(timed.problem, x86::all_isas(), std::max(1, cores_))));
    timed.device = device_;
    timed.family = KernelFamily::kX86;
    timed.source = "collected";
    problems_.push_back(std::move(timed));
    seen_.clear();
    has_problem_ = true;
    return {};
  }

  Status read_config(std::string_view time, std::string_view text) {
    if (!has_problem_) return invalid_argument("a config before any problem");
    train::TimedProblem& timed = problems_.back();
    double seconds = std::numeric_limits<double>::quiet_NaN();
    if (!parse_outcome_kind(time).ok()) {
      seconds = TRIODE_TRY(time_of(time)) * 1e-9;
      if (!(seconds > 0)) return invalid_argument("a time of zero");
    }
    const Result<Config> config = timed.space->parse(with_later_parameters(*timed.space, text));
    // A config that today's space has no place for is no error: the rest still teaches.
    if (!config.ok() || !seen_.insert(timed.space->index_of(*config)).second) return {};
    timed.configs.push_back(*config);
    timed.seconds.push_back(seconds);
    return {};
  }

  std::vector<train::TimedProblem> problems_;
  std::shared_ptr<const DeviceTraits> device_;
  int32_t cores_ = 1;
  bool has_problem_ = false;
  std::set<uint64_t> seen_;  // configs of the last problem
};

Result<std::string> text_of_cache(const std::string& folder) {
  StoreOptions options;
  options.mode = StoreMode::kReadOnly;
  const auto cache = TRIODE_TRY(Cache::open(folder, options));
  return collected_text(cache->measurements());
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = (c >= 'A' && c <= 'Z') ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

// Names in files are longer than those of known devices, or shorter.
bool is_device(const std::string& name, const std::string& wanted) {
  return name.find(wanted) != std::string::npos || wanted.find(name) != std::string::npos;
}

Result<std::vector<train::TimedProblem>> read_file(const std::string& path,
                                                   std::string_view device) {
  const auto file = TRIODE_TRY(exchange::SourceFile::read(path));
  if (!file.bytes().starts_with(kFirstLine)) {
    return train::read_timed_problems({&path, 1}, device);
  }
  auto parsed = parse_collected(file.bytes());
  if (!parsed.ok()) return file.error(parsed.status().message());
  return parsed;
}

}  // namespace

Result<std::string> collected_text(const MeasurementStore& store) {
  TextWriter writer;
  TrialFilter own;
  own.origin = "";
  TRIODE_TRY(store.scan(own, [&](const SampleKey& key, const TrialRecord& record) {
    writer.add(key, record);
    return true;
  }));
  return std::move(writer).take();
}

Result<std::vector<train::TimedProblem>> parse_collected(std::string_view text) {
  TextReader reader;
  for (int64_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const Status read = number == 1
                            ? (line == kFirstLine ? Status() : invalid_argument("no trials"))
                            : reader.read_line(line);
    if (!read.ok()) {
      return invalid_argument("line " + std::to_string(number) + ": " + read.message());
    }
  }
  return std::move(reader).take();
}

Status export_collected(const std::string& cache, const std::string& path) {
  const std::string text = TRIODE_TRY(text_of_cache(cache));
  const std::string bytes = TRIODE_TRY(exchange::deflate_gzip(text));
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) return unavailable("cannot write " + path);
  return {};
}

Result<std::vector<train::TimedProblem>> read_timings(std::span<const std::string> files,
                                                      std::string_view device,
                                                      std::span<const std::string> caches) {
  std::vector<train::TimedProblem> all;
  const auto add = [&](std::vector<train::TimedProblem> some) {
    std::move(some.begin(), some.end(), std::back_inserter(all));
  };
  for (const std::string& path : files) {
    for (const std::string& file : TRIODE_TRY(data_files(path))) {
      add(TRIODE_TRY(read_file(file, device)));
    }
  }
  for (const std::string& folder : caches) {
    const std::string text = TRIODE_TRY(text_of_cache(folder));
    add(TRIODE_TRY(parse_collected(text)));
  }
  return all;
}

Status keep_only(std::string_view hardware, std::string_view op,
                 std::vector<train::TimedProblem>& problems) {
  const std::string wanted = lower_case(hardware);
  std::set<std::string> there;
  for (const train::TimedProblem& timed : problems) {
    there.insert(timed.device->name + " " + std::string(to_string(timed.problem.op)));
  }
  std::erase_if(problems, [&](const train::TimedProblem& timed) {
    return !is_device(lower_case(timed.device->name), wanted) ||
           (!op.empty() && to_string(timed.problem.op) != op);
  });
  if (!problems.empty()) return {};
  std::string message = "no timings of " + std::string(hardware.empty() ? "any device" : hardware) +
                        ", " + std::string(op.empty() ? "any operation" : op) + "; there are of";
  for (const std::string& one : there) message += "\n  " + one;
  return not_found(message);
}

}  // namespace triode::collect
