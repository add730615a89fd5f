// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/cache_command.h"

#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <system_error>

#include "runtime/device/cpu_device.h"
#include "tools/bench/cache_contest.h"
#include "tools/bench/cache_options.h"
#include "tools/bench/command_line.h"
#include "tools/bench/device_json.h"
#include "tools/bench/machine_limits.h"
#include "tools/bench/scratch_folder.h"

namespace triode::bench {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const CacheSummary& summary) {
  return {{"records_per_s", summary.records_per_s},
          {"records_per_s_spread", summary.records_per_s_spread},
          {"get_p50_us", summary.get_p50_us},
          {"get_p99_us", summary.get_p99_us},
          {"get_spread", summary.get_spread},
          {"open_ms", summary.open_ms},
          {"open_spread", summary.open_spread},
          {"bytes_per_record", summary.bytes_per_record}};
}

void print_row(std::string_view name, const CacheSummary& summary, bool keeps, std::ostream& out) {
  char line[160];
  if (keeps) {
    (void)std::snprintf(line, sizeof(line),
                        "%-8s %10.0f ±%4.1f%% %8.2f %8.2f %9.1f ±%4.1f%% %8.1f\n",
                        std::string(name).c_str(), summary.records_per_s,
                        100 * summary.records_per_s_spread, summary.get_p50_us, summary.get_p99_us,
                        summary.open_ms, 100 * summary.open_spread, summary.bytes_per_record);
  } else {
    (void)std::snprintf(line, sizeof(line), "%-8s %17s %8.2f %8.2f %9.1f ±%4.1f%% %8.1f\n",
                        std::string(name).c_str(), "-", summary.get_p50_us, summary.get_p99_us,
                        summary.open_ms, 100 * summary.open_spread, summary.bytes_per_record);
  }
  out << line;
}

class CacheRun {
 public:
  CacheRun(const CacheOptions& options, std::ostream& out, std::ostream& err)
      : options_(options), workload_(options.seed, options.records), out_(out), err_(err) {}

  Status run() {
    const ScratchFolder scratch = TRIODE_TRY(ScratchFolder::make());
    const std::string folder = options_.folder.empty() ? scratch.path() : options_.folder;
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) return unavailable("cannot make the folder " + folder + ": " + error.message());
    const double clock_before = reported_clock_mhz();
    const CacheFigures own = TRIODE_TRY(measure(make_own_cache(folder)));
    const CacheFigures sqlite = TRIODE_TRY(measure(make_sqlite_cache(folder)));
    const CacheFigures csv = TRIODE_TRY(measure(make_csv_cache(folder)));
    if (options_.json) {
      TRIODE_TRY(print_json(own, sqlite, csv, clock_before));
    } else {
      print_table(own, sqlite, csv);
    }
    return {};
  }

 private:
  Result<CacheFigures> measure(const std::unique_ptr<CacheContestant>& contestant) {
    return measure_cache(*contestant, workload_, options_, [this](const std::string& text) {
      if (!options_.quiet) err_ << text << std::endl;
    });
  }

  Json summary_json(const CacheFigures& own, const CacheFigures& sqlite,
                    const CacheFigures& csv) const {
    const CacheSummary ours = summarize(own, options_.records);
    const CacheSummary theirs = summarize(sqlite, options_.records);
    const CacheSummary lines = summarize(csv, options_.records);
    Json summary = json_of(ours);
    summary["write_vs_sqlite"] = ours.records_per_s / theirs.records_per_s;
    summary["get_vs_sqlite"] = theirs.get_p50_us / ours.get_p50_us;
    summary["load_vs_csv"] = lines.open_ms / ours.open_ms;
    summary["bytes_vs_sqlite"] = theirs.bytes_per_record / ours.bytes_per_record;
    return summary;
  }

  Status print_json(const CacheFigures& own, const CacheFigures& sqlite, const CacheFigures& csv,
                    double clock_before) {
    const std::unique_ptr<CpuDevice> device = TRIODE_TRY(CpuDevice::create());
    Json json = {{"benchmark", "cache"},
                 {"device", device_json(device->target(), clock_before, reported_clock_mhz())},
                 {"records", options_.records},
                 {"batch", options_.batch},
                 {"warm_up_gets", options_.gets},
                 {"seed", options_.seed}};
    for (const CacheFigures* figures : {&own, &sqlite, &csv}) {
      json["contestants"][figures->name] = {{"batch_s", figures->batch_s},
                                            {"get_us", figures->get_us},
                                            {"opening_ms", figures->opening_ms},
                                            {"disk_bytes", figures->disk_bytes}};
    }
    json["peers"] = {{"sqlite", json_of(summarize(sqlite, options_.records))},
                     {"csv", json_of(summarize(csv, options_.records))}};
    json["summary"] = summary_json(own, sqlite, csv);
    out_ << json.dump() << '\n';
    return {};
  }

  void print_table(const CacheFigures& own, const CacheFigures& sqlite, const CacheFigures& csv) {
    out_ << options_.records << " records in batches of " << options_.batch << "\n\n"
         << "           records/s            get us   p99 us      open ms          bytes/record\n";
    for (const CacheFigures* figures : {&own, &sqlite, &csv}) {
      print_row(figures->name, summarize(*figures, options_.records), figures != &csv, out_);
    }
    const Json summary = summary_json(own, sqlite, csv);
    out_ << "\nTriode writes " << summary["write_vs_sqlite"]
         << " times as fast as SQLite, looks up " << summary["get_vs_sqlite"]
         << " times as fast, and opens " << summary["load_vs_csv"]
         << " times as fast as a CSV file is read.\n";
  }

  const CacheOptions& options_;
  const CacheWorkload workload_;
  std::ostream& out_;
  std::ostream& err_;
};

}  // namespace

int run_cache(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
  const Result<CacheOptions> options = parse_cache_options(arguments);
  if (const auto answered = answer_without_measuring(options, out, err)) return *answered;
  const Status status = CacheRun(*options, out, err).run();
  return status.ok() ? kDone : complain(status, kFailed, err);
}

}  // namespace triode::bench
