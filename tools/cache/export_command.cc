// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "cache/exchange/exchange_format.h"
#include "cache/exchange/stored_rows.h"
#include "cache/fold.h"
#include "tools/cache/commands.h"
#include "tools/cache/drop_report.h"
#include "tools/cache/figures.h"
#include "tools/cache/filter_options.h"
#include "tools/cache/open_cache.h"
#include "tools/cache/output_file.h"
#include "tools/cache/plan_export.h"
#include "tools/cache/progress_line.h"

namespace triode::cache_tool {
namespace {

using exchange::DropList;
using exchange::ExchangeTable;

// Imported trials come out one by one, as they came in, unless the format has room for one time of
// a config; Triode's own are folded, one row a config, as `ls` and `show` have them.
class RowCollector {
 public:
  RowCollector(bool folds_all, ExchangeTable& table, DropList& dropped)
      : folds_all_(folds_all), table_(table), dropped_(dropped) {}

  void add(const SampleKey& key, const TrialRecord& record) {
    if (!record.origin.empty() && !folds_all_) {
      add_row(key, record);
      return;
    }
    if (!folded_.empty() && key != folded_key_) finish();
    folded_key_ = key;
    folded_.push_back(record);
  }

  void finish() {
    if (!folded_.empty()) add_row(folded_key_, fold(folded_));
    folded_.clear();
  }

 private:
  void add_row(const SampleKey& key, const TrialRecord& record) {
    Result<exchange::ExchangeRow> row = exchange::row_of(key, record);
    if (row.ok()) {
      table_.rows.push_back(std::move(row).take());
    } else {
      dropped_.add(row.status().message(), key.problem);
    }
  }

  const bool folds_all_;
  ExchangeTable& table_;
  DropList& dropped_;
  SampleKey folded_key_;
  std::vector<TrialRecord> folded_;
};

Result<ExchangeTable> collect(const MeasurementStore& store, const TrialFilter& filter,
                              const std::optional<std::string>& source, bool folds_all,
                              DropList& dropped, const Context& context) {
  ExchangeTable table;
  RowCollector collector(folds_all, table, dropped);
  ProgressLine progress(context, "reading");
  int64_t read = 0;
  const StoreCounts counts =
      TRIODE_TRY(store.scan_trials(filter, [&](const SampleKey& key, const TrialRecord& record) {
        progress.show(++read);
        const auto from = record.extra.find(exchange::kSourceName);
        if (!source.has_value() || (from != record.extra.end() && from->second == *source)) {
          collector.add(key, record);
        }
        return true;
      }));
  collector.finish();
  for (int64_t i = 0; i < counts.damaged; ++i) {
    dropped.add("damaged records, which 'triode cache verify' names", "");
  }
  exchange::restore_order(table.rows);
  return table;
}

// One file goes where it is told to; several go into a folder of that name.
Result<std::vector<std::string>> write_files(const std::vector<exchange::ExportedFile>& files,
                                             bool may_be_many, const std::string& output) {
  std::vector<std::string> paths;
  std::error_code error;
  const bool is_folder = std::filesystem::is_directory(output, error) || output.ends_with('/');
  if (files.size() == 1 && !is_folder) {
    TRIODE_TRY(write_output(output, files[0].bytes));
    return std::vector<std::string>{output};
  }
  if (!may_be_many && !is_folder) return internal_error("several files in a format of one");
  std::filesystem::create_directories(output, error);
  if (error) return unavailable("cannot make the folder " + output + ": " + error.message());
  for (const exchange::ExportedFile& file : files) {
    paths.push_back((std::filesystem::path(output) / file_name_of(file.name)).string());
    TRIODE_TRY(write_output(paths.back(), file.bytes));
  }
  return paths;
}

int export_plans(const Arguments& arguments, const TrialFilter& filter, const Context& context) {
  const std::string path = *arguments.value("--plans");
  const auto cache = open_to_read(context.path);
  if (!cache.ok()) return complain(context, cache.status());
  const Result<ExportedPlans> plans = plans_to_export(**cache, filter);
  if (!plans.ok()) return complain(context, plans.status());
  if (const Status status = write_plan_file(path, plans->file); !status.ok()) {
    return complain(context, status);
  }
  if (context.json) {
    context.out << nlohmann::ordered_json{{"file", path},
                                          {"plans", plans->plans},
                                          {"targets", plans->file.sections.size()},
                                          {"withdrawn", plans->withdrawn},
                                          {"embedded", plans->embedded}}
                       .dump()
                << "\n";
  } else if (!context.quiet) {
    context.err << "triode-cache: wrote " << count_text(plans->plans) << " plans to " << path
                << "\n";
    if (plans->embedded > 0) {
      context.err << "triode-cache: left out " << count_text(plans->embedded)
                  << " plans for GPUs: a plan file does not hold their code\n";
    }
  }
  return kDone;
}

// What a file was called when it was imported: unpacked.
std::optional<std::string> source_name(const Arguments& arguments) {
  std::optional<std::string> name = arguments.value("--source");
  if (name.has_value() && name->ends_with(".gz")) name->resize(name->size() - 3);
  return name;
}

int export_rows(exchange::ExchangeFormat format, const Arguments& arguments,
                const TrialFilter& filter, const Context& context) {
  const auto cache = open_to_read(context.path);
  if (!cache.ok()) return complain(context, cache.status());
  DropList dropped;
  const exchange::FormatRow& about = exchange::format_rows()[static_cast<size_t>(format)];
  const std::optional<std::string> source = source_name(arguments);
  const auto table =
      collect((*cache)->measurements(), filter, source, about.has_one_time, dropped, context);
  if (!table.ok()) return complain(context, table.status());
  if (source.has_value() && table->rows.empty()) {
    return complain(context, not_found("nothing that matches came from a file called '" + *source +
                                       "'; --source takes its name without folders"));
  }
  const auto files = write_exchange(format, *table, dropped);
  if (!files.ok()) return complain(context, files.status());
  const std::optional<std::string> output = arguments.value("--output");
  if (!output.has_value()) {
    if (files->size() != 1) {
      return complain(context,
                      invalid_argument("this makes " + std::to_string(files->size()) +
                                       " files; say where with --output FOLDER"),
                      true);
    }
    context.out << files->front().bytes;
    print_dropped(dropped, context);
    return kDone;
  }
  const auto paths = write_files(*files, about.may_be_many, *output);
  if (!paths.ok()) return complain(context, paths.status());
  if (context.json) {
    context.out << nlohmann::ordered_json{{"files", *paths},
                                          {"rows", table->rows.size()},
                                          {"dropped", json_of(dropped)}}
                       .dump(-1, ' ', true, nlohmann::json::error_handler_t::replace)
                << "\n";
    return kDone;
  }
  print_dropped(dropped, context);
  if (!context.quiet) {
    context.err << "triode-cache: wrote " << count_text(static_cast<int64_t>(paths->size()))
                << " files from " << count_text(static_cast<int64_t>(table->rows.size()))
                << " records\n";
  }
  return kDone;
}

int run(const Arguments& arguments, const Context& context) {
  const Result<TrialFilter> filter = read_filter(arguments);
  if (!filter.ok()) return complain(context, filter.status(), true);
  const bool has_format = arguments.has("--format");
  if (!arguments.positionals().empty() || has_format == arguments.has("--plans")) {
    return complain(context, invalid_argument("export takes either --format NAME or --plans FILE"),
                    true);
  }
  if (!has_format) return export_plans(arguments, *filter, context);
  const auto format = exchange::parse_exchange_format(*arguments.value("--format"));
  if (!format.ok()) return complain(context, format.status(), true);
  if (context.json && !arguments.has("--output")) {
    return complain(context, invalid_argument("--json describes the files that --output names"),
                    true);
  }
  return export_rows(*format, arguments, *filter, context);
}

constexpr std::array<std::string_view, 13> kOptions = {
    "--target",    "--op",     "--dtype",  "--m",      "--n",      "--k",    "--outcome",
    "--toolchain", "--origin", "--format", "--output", "--source", "--plans"};

}  // namespace

const Command& export_command() {
  static const Command command{"export", kOptions, {}, run};
  return command;
}

}  // namespace triode::cache_tool
