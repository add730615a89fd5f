// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
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
#include "cache/maintenance.h"
#include "cache/spool_writer.h"
#include "tools/cache/commands.h"
#include "tools/cache/drop_report.h"
#include "tools/cache/figures.h"
#include "tools/cache/open_cache.h"
#include "tools/cache/progress_line.h"

namespace triode::cache_tool {
namespace {

namespace fs = std::filesystem;

struct Intake {
  std::vector<KeyedTrial> trials;
  exchange::DropList dropped;
  nlohmann::ordered_json skipped = nlohmann::ordered_json::array();  // files of no format
  nlohmann::ordered_json files = nlohmann::ordered_json::array();
  bool is_spooled = false;  // left for the writer that runs
};

// More go to a file of their own, beside what programs leave in the spool: that has a limit.
constexpr size_t kMostInSpool = 4096;

struct MeantFile {
  std::string path;
  bool is_found = false;  // in a folder; else it was named itself
};

// The files meant: those named, and those in folders that are named, sorted.
Result<std::vector<MeantFile>> files_of(const std::vector<std::string>& words) {
  std::vector<MeantFile> files;
  for (const std::string& word : words) {
    std::error_code error;
    if (!fs::is_directory(word, error)) {
      files.push_back({word});
      continue;
    }
    std::vector<std::string> inside;
    for (fs::recursive_directory_iterator it(word, error), end; !error && it != end;
         it.increment(error)) {
      if (it->is_regular_file(error)) inside.push_back(it->path().string());
    }
    if (error) return unavailable("cannot list the folder " + word + ": " + error.message());
    if (inside.empty()) return not_found("the folder " + word + " has no files");
    std::sort(inside.begin(), inside.end());
    for (std::string& path : inside) files.push_back({std::move(path), true});
  }
  return files;
}

Result<exchange::ImportOptions> read_options(const Arguments& arguments) {
  exchange::ImportOptions options;
  options.device = arguments.value_or("--device", "");
  options.toolchain = arguments.value_or("--toolchain", "");
  options.moe_k = TRIODE_TRY(arguments.number_or("--moe-k", 0, 1, INT32_MAX));
  if (const auto text = arguments.value("--dtype"); text.has_value()) {
    options.dtype = TRIODE_TRY(parse_dtype(*text));
  }
  if (const auto text = arguments.value("--problem"); text.has_value()) {
    options.problem = TRIODE_TRY(parse_problem(*text));
  }
  return options;
}

Status read_file(const MeantFile& meant, std::optional<exchange::ExchangeFormat> format,
                 exchange::ImportOptions options, Intake& intake) {
  options.is_found = meant.is_found && !format.has_value();
  if (options.is_found) {
    const auto beginning = TRIODE_TRY(exchange::SourceFile::read_beginning(meant.path));
    if (!claimed_format(beginning)) {
      intake.skipped.push_back(meant.path);
      intake.dropped.add("files in a folder that no format claims", meant.path);
      return {};
    }
  }
  const exchange::SourceFile file = TRIODE_TRY(exchange::SourceFile::read(meant.path));
  const exchange::ExchangeFormat used =
      format.has_value() ? *format : TRIODE_TRY(detect_format(file));
  const exchange::ExchangeTable table = TRIODE_TRY(read_exchange(used, file, options));
  const std::vector<KeyedTrial> trials = trials_of(table, used, file.base_name());
  intake.trials.insert(intake.trials.end(), trials.begin(), trials.end());
  intake.dropped.add_all(table.dropped);
  intake.files.push_back({{"file", meant.path},
                          {"format", std::string(to_string(used))},
                          {"records", trials.size()},
                          {"dropped", table.dropped.count()}});
  return {};
}

Result<Intake> read_files(const std::vector<MeantFile>& files,
                          std::optional<exchange::ExchangeFormat> format,
                          const exchange::ImportOptions& options, ProgressLine& progress) {
  Intake intake;
  size_t place = 0;
  for (const MeantFile& file : files) {
    progress.begin("reading file " + std::to_string(++place) + " of " +
                   std::to_string(files.size()) + ", " + file.path);
    TRIODE_TRY(read_file(file, format, options, intake));
  }
  if (!intake.files.empty()) return intake;
  return invalid_argument("none of the " + std::to_string(files.size()) +
                          " files in the folder is of a format that can be told; say which with "
                          "--format");
}

// Into the cache, or into its spool while another process writes there.
Status store(const std::string& path, Intake& intake, ProgressLine& progress) {
  progress.begin("storing " + count_text(static_cast<int64_t>(intake.trials.size())) + " records");
  const auto cache = open_to_write(path);
  if (cache.ok()) {
    TRIODE_TRY((*cache)->measurements().append(intake.trials));
    progress.begin("summarizing");
    // What was imported is kept whether this succeeds or not.
    (void)summarize(**cache, [&progress](int64_t done, int64_t about) {
      progress.show(done, about);
      return true;
    });
    return {};
  }
  if (cache.status().code() != StatusCode::kUnavailable) return cache.status();
  intake.is_spooled = true;
  const Status spooled = intake.trials.size() > kMostInSpool ? spool_apart(path, intake.trials)
                                                             : append_to_spool(path, intake.trials);
  // The spool's trouble is the same as the cache's if the folder itself is the trouble.
  return spooled.code() == StatusCode::kUnavailable ? cache.status() : spooled;
}

// All of the files or, if one is wrong or they cannot be stored, none.
Result<Intake> take_in(const std::vector<MeantFile>& files,
                       std::optional<exchange::ExchangeFormat> format,
                       const exchange::ImportOptions& options, bool is_dry_run,
                       const Context& context) {
  ProgressLine progress(context, "importing");
  Intake intake = TRIODE_TRY(read_files(files, format, options, progress));
  if (!is_dry_run) TRIODE_TRY(store(context.path, intake, progress));
  return intake;
}

void report(const Intake& intake, bool is_dry_run, const Context& context) {
  if (context.json) {
    context.out << nlohmann::ordered_json{{"records", intake.trials.size()},
                                          {"files", intake.files},
                                          {"skipped", intake.skipped},
                                          {"dropped", json_of(intake.dropped)},
                                          {"dry_run", is_dry_run},
                                          {"spooled", intake.is_spooled}}
                       .dump(-1, ' ', true, nlohmann::json::error_handler_t::replace)
                << "\n";
    return;
  }
  print_dropped(intake.dropped, context);
  if (context.quiet) return;
  context.err << "triode-cache: " << (is_dry_run ? "would import " : "imported ")
              << count_text(static_cast<int64_t>(intake.trials.size())) << " records from "
              << intake.files.size() << " files"
              << (intake.is_spooled ? "; the running writer takes them in before its next search"
                                    : "")
              << "\n";
}

int run(const Arguments& arguments, const Context& context) {
  if (arguments.positionals().empty()) {
    return complain(context, invalid_argument("import needs files or folders"), true);
  }
  std::optional<exchange::ExchangeFormat> format;
  if (const auto name = arguments.value("--format"); name.has_value()) {
    const auto parsed = exchange::parse_exchange_format(*name);
    if (!parsed.ok()) return complain(context, parsed.status(), true);
    format = *parsed;
  }
  const auto options = read_options(arguments);
  if (!options.ok()) return complain(context, options.status(), true);
  const auto files = files_of(arguments.positionals());
  if (!files.ok()) return complain(context, files.status());
  const bool is_dry_run = arguments.has("--dry-run");
  const Result<Intake> intake = take_in(*files, format, *options, is_dry_run, context);
  if (!intake.ok()) {
    complain(context, intake.status());
    context.err << "triode-cache: nothing was imported\n";
    return kFailed;
  }
  report(*intake, is_dry_run, context);
  return kDone;
}

constexpr std::array<std::string_view, 6> kOptions = {"--format",  "--device", "--toolchain",
                                                      "--problem", "--dtype",  "--moe-k"};
constexpr std::array<std::string_view, 1> kFlags = {"--dry-run"};

}  // namespace

const Command& import_command() {
  static const Command command{"import", kOptions, kFlags, run};
  return command;
}

}  // namespace triode::cache_tool
