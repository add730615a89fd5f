// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cache/problem_summary.h"
#include "cache/validity.h"
#include "tools/cache/cache_folder.h"
#include "tools/cache/commands.h"
#include "tools/cache/figures.h"
#include "tools/cache/filter_options.h"
#include "tools/cache/open_cache.h"
#include "tools/cache/text_table.h"

namespace triode::cache_tool {
namespace {

// Two timings of one thing on one machine are about this far apart; beyond it something changed.
constexpr int64_t kDefaultPercent = 5;

using Problems = std::map<std::pair<std::string, std::string>, ProblemSummary>;

struct Change {
  ProblemSummary before;
  ProblemSummary after;
  double ratio() const { return after.best_ns / before.best_ns; }
};

struct Difference {
  std::vector<ProblemSummary> only_in_a;
  std::vector<ProblemSummary> only_in_b;
  std::vector<Change> changed;  // best time or best config
  int64_t same = 0;
};

Result<Problems> read_problems(const std::string& path, const TrialFilter& filter) {
  const std::unique_ptr<Cache> cache = TRIODE_TRY(open_to_read(path));
  Problems problems;
  TRIODE_TRY(cache->measurements().summaries(filter, [&](const ProblemSummary& problem) {
    problems.emplace(std::pair(problem.device, problem.problem), problem);
    return true;
  }));
  return problems;
}

bool differs(const ProblemSummary& a, const ProblemSummary& b, double tolerance) {
  if ((a.best_ns == 0) != (b.best_ns == 0)) return true;
  if (a.best_ns == 0) return false;
  return std::abs(std::log(b.best_ns / a.best_ns)) > std::log1p(tolerance);
}

Difference compare(Problems a, Problems b, double tolerance) {
  Difference difference;
  for (auto& [key, before] : a) {
    const auto after = b.find(key);
    if (after == b.end()) {
      difference.only_in_a.push_back(before);
    } else if (differs(before, after->second, tolerance)) {
      difference.changed.push_back({before, after->second});
    } else {
      ++difference.same;
    }
  }
  for (auto& [key, after] : b) {
    if (a.find(key) == a.end()) difference.only_in_b.push_back(after);
  }
  return difference;
}

nlohmann::ordered_json names_of(const std::vector<ProblemSummary>& problems) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const ProblemSummary& p : problems) {
    list.push_back(
        {{"device", device_name(p.device)}, {"problem", p.problem}, {"best_ns", p.best_ns}});
  }
  return list;
}

void print_json(const Difference& difference, std::ostream& out) {
  nlohmann::ordered_json changed = nlohmann::ordered_json::array();
  for (const Change& change : difference.changed) {
    changed.push_back({{"device", device_name(change.before.device)},
                       {"problem", change.before.problem},
                       {"a_ns", change.before.best_ns},
                       {"b_ns", change.after.best_ns},
                       {"a_config", change.before.best_config},
                       {"b_config", change.after.best_config}});
  }
  out << nlohmann::ordered_json{{"only_in_a", names_of(difference.only_in_a)},
                                {"only_in_b", names_of(difference.only_in_b)},
                                {"changed", changed},
                                {"same", difference.same}}
             .dump(-1, ' ', true, nlohmann::json::error_handler_t::replace)
      << "\n";
}

void print_table(const Difference& difference, const Context& context) {
  TextTable table({{"DEVICE", false, true},
                   {"PROBLEM", false, true},
                   {"A", true, false},
                   {"B", true, false},
                   {"B/A", true, false}});
  const auto add = [&](const ProblemSummary& p, const std::string& a, const std::string& b,
                       const std::string& ratio, Tone tone) {
    table.add({{device_name(p.device), Tone::kPlain},
               {p.problem, Tone::kPlain},
               {a, Tone::kPlain},
               {b, Tone::kPlain},
               {ratio, tone}});
  };
  for (const Change& change : difference.changed) {
    const bool is_timed = change.before.best_ns > 0 && change.after.best_ns > 0;
    add(change.before, time_text(change.before.best_ns), time_text(change.after.best_ns),
        is_timed ? ratio_text(change.ratio()) : "-",
        is_timed && change.ratio() > 1 ? Tone::kBad : Tone::kGood);
  }
  for (const ProblemSummary& p : difference.only_in_a) {
    add(p, time_text(p.best_ns), "missing", "-", Tone::kFaint);
  }
  for (const ProblemSummary& p : difference.only_in_b) {
    add(p, "missing", time_text(p.best_ns), "-", Tone::kFaint);
  }
  if (!table.empty()) context.out << table.text(context.terminal) << "\n";
  context.out << count_text(static_cast<int64_t>(difference.changed.size())) << " changed, "
              << count_text(static_cast<int64_t>(difference.only_in_a.size())) << " only in A, "
              << count_text(static_cast<int64_t>(difference.only_in_b.size())) << " only in B, "
              << count_text(difference.same) << " the same\n";
}

int run(const Arguments& arguments, const Context& context) {
  if (arguments.positionals().size() != 2) {
    return complain(context,
                    invalid_argument("diff takes two cache folders, as 'path' prints them"), true);
  }
  const Result<TrialFilter> filter = read_filter(arguments);
  if (!filter.ok()) return complain(context, filter.status(), true);
  const Result<int64_t> percent = arguments.number_or("--tolerance", kDefaultPercent, 0, 1000);
  if (!percent.ok()) return complain(context, percent.status(), true);
  Result<Problems> a = read_problems(store_at(arguments.positionals()[0]), *filter);
  if (!a.ok()) return complain(context, a.status());
  Result<Problems> b = read_problems(store_at(arguments.positionals()[1]), *filter);
  if (!b.ok()) return complain(context, b.status());
  const Difference difference =
      compare(std::move(a).take(), std::move(b).take(), static_cast<double>(*percent) / 100);
  if (context.json) {
    print_json(difference, context.out);
  } else {
    print_table(difference, context);
  }
  return kDone;
}

constexpr std::array<std::string_view, 10> kOptions = {
    "--target", "--op",      "--dtype",     "--m",      "--n",
    "--k",      "--outcome", "--toolchain", "--origin", "--tolerance"};

}  // namespace

const Command& diff_command() {
  static const Command command{"diff", kOptions, {}, run};
  return command;
}

}  // namespace triode::cache_tool
