// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "cache/problem_summary.h"
#include "cache/validity.h"
#include "core/unix_time.h"
#include "tools/cache/commands.h"
#include "tools/cache/figures.h"
#include "tools/cache/filter_options.h"
#include "tools/cache/open_cache.h"
#include "tools/cache/progress_line.h"
#include "tools/cache/text_table.h"

namespace triode::cache_tool {
namespace {

// What fits a screen or two; the whole of a large cache is seldom wanted.
constexpr int64_t kDefaultLimit = 50;

// About a second's reading.
constexpr int64_t kManyRecords = 200'000;

struct Listing {
  std::vector<ProblemSummary> problems;
  bool is_cut = false;  // there are more
  SummaryCounts counts;
};

using Order = bool (*)(const ProblemSummary& a, const ProblemSummary& b);

struct SortRow {
  std::string_view name;
  Order is_before;  // null: the order of the keys
};
constexpr std::array<SortRow, 5> kSorts{{
    {"key", nullptr},
    {"time",
     [](const ProblemSummary& a, const ProblemSummary& b) { return a.best_ns > b.best_ns; }},
    {"speedup",
     [](const ProblemSummary& a, const ProblemSummary& b) { return a.speedup > b.speedup; }},
    {"age", [](const ProblemSummary& a,
               const ProblemSummary& b) { return a.latest_unix_s > b.latest_unix_s; }},
    {"configs",
     [](const ProblemSummary& a, const ProblemSummary& b) { return a.configs > b.configs; }},
}};

Result<SortRow> read_sort(const Arguments& arguments) {
  const std::string name = arguments.value_or("--sort", "key");
  for (const SortRow& row : kSorts) {
    if (row.name == name) return row;
  }
  return invalid_argument("--sort: '" + name + "' is none of: key, time, speedup, age, configs");
}

// In key order it stops when it has enough.
Result<Listing> list(const MeasurementStore& store, const TrialFilter& filter, Order order,
                     int64_t limit, const Context& context) {
  Listing listing;
  ProgressLine progress(context, "reading");
  int64_t read = 0;
  const auto most = static_cast<size_t>(limit);
  listing.counts = TRIODE_TRY(store.summaries(filter, [&](const ProblemSummary& problem) {
    progress.show(read += problem.configs);
    if (order == nullptr && listing.problems.size() == most) {
      listing.is_cut = true;
      return false;
    }
    listing.problems.push_back(problem);
    return true;
  }));
  if (order != nullptr) {
    std::stable_sort(listing.problems.begin(), listing.problems.end(), order);
    listing.is_cut = listing.problems.size() > most;
    if (listing.is_cut) listing.problems.resize(most);
  }
  return listing;
}

void print_json(const Listing& listing, std::ostream& out) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const ProblemSummary& p : listing.problems) {
    rows.push_back({{"device", device_name(p.device)},
                    {"target", p.device},
                    {"problem", p.problem},
                    {"configs", p.configs},
                    {"failed", p.failed},
                    {"best_ns", p.best_ns},
                    {"best_config", p.best_config},
                    {"vendor_ns", p.vendor_ns},
                    {"speedup", p.speedup},
                    {"latest_unix_s", p.latest_unix_s}});
  }
  out << nlohmann::ordered_json{{"problems", rows},
                                {"more", listing.is_cut},
                                {"damaged", listing.counts.damaged}}
             .dump(-1, ' ', true, nlohmann::json::error_handler_t::replace)
      << "\n";
}

void print_table(const Listing& listing, const Context& context) {
  TextTable table({{"DEVICE", false, true},
                   {"PROBLEM", false, true},
                   {"CONFIGS", true, false},
                   {"FAILED", true, false},
                   {"BEST", true, false},
                   {"SPEEDUP", true, false},
                   {"AGE", true, false}});
  const int64_t now = unix_seconds();
  for (const ProblemSummary& p : listing.problems) {
    const Tone tone = p.speedup >= 1 ? Tone::kGood : Tone::kPlain;
    table.add({{device_name(p.device), Tone::kPlain},
               {p.problem, Tone::kPlain},
               {count_text(p.configs), Tone::kPlain},
               {count_text(p.failed), p.failed > 0 ? Tone::kBad : Tone::kPlain},
               {time_text(p.best_ns), Tone::kPlain},
               {p.speedup > 0 ? ratio_text(p.speedup) : "-", tone},
               {age_text(p.latest_unix_s, now), Tone::kPlain}});
  }
  if (table.empty()) {
    if (!context.quiet) context.err << "triode-cache: nothing matches\n";
    return;
  }
  context.out << table.text(context.terminal);
  if (listing.is_cut && !context.quiet) {
    context.err << "triode-cache: there are more; --limit 0 shows all\n";
  }
}

void print_notes(const SummaryCounts& counts, std::ostream& err) {
  if (counts.damaged > 0) {
    err << "triode-cache: passed over " << counts.damaged
        << " damaged records; see 'triode cache verify'\n";
  }
  if (counts.records_read > kManyRecords) {
    err << "triode-cache: read " << count_text(counts.records_read)
        << " records that are not summarized yet; 'triode cache compact' makes this quicker\n";
  }
}

int run(const Arguments& arguments, const Context& context) {
  const Result<TrialFilter> filter = read_filter(arguments);
  if (!filter.ok()) return complain(context, filter.status(), true);
  const Result<SortRow> sort = read_sort(arguments);
  if (!sort.ok()) return complain(context, sort.status(), true);
  const Result<int64_t> limit = arguments.number_or("--limit", kDefaultLimit, 0, 1'000'000'000);
  if (!limit.ok()) return complain(context, limit.status(), true);
  if (!arguments.positionals().empty()) {
    return complain(context, invalid_argument("ls takes no words; see its options"), true);
  }
  const auto cache = open_to_read(context.path);
  if (!cache.ok()) return complain(context, cache.status());
  const int64_t most = *limit == 0 ? std::numeric_limits<int64_t>::max() : *limit;
  const Result<Listing> listing =
      list((*cache)->measurements(), *filter, sort->is_before, most, context);
  if (!listing.ok()) return complain(context, listing.status());
  if (context.json) {
    print_json(*listing, context.out);
  } else {
    print_table(*listing, context);
  }
  if (!context.quiet) print_notes(listing->counts, context.err);
  return kDone;
}

constexpr std::array<std::string_view, 11> kOptions = {
    "--target",  "--op",        "--dtype",  "--m",    "--n",    "--k",
    "--outcome", "--toolchain", "--origin", "--sort", "--limit"};

}  // namespace

const Command& ls_command() {
  static const Command command{"ls", kOptions, {}, run};
  return command;
}

}  // namespace triode::cache_tool
