// SPDX-License-Identifier: Apache-2.0
#include "tools/top/top_view.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <vector>

#include "tools/cache/figures.h"
#include "tools/cache/text_table.h"
#include "tools/tuner/status_text.h"

namespace triode::top_tool {
namespace {

using cache_tool::TextTable;
using cache_tool::Tone;
using tuner::ProblemState;
using tuner::SentProblem;
using tuner::StatusAnswer;

// Lines that a screen keeps for figures before the problems, and for the keys below them.
constexpr size_t kTableTitle = 1;
constexpr std::string_view kKeys = "q quit  sort: t time  s speed-up  c calls  a state  p problem";

std::string figure(const char* format, double value) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

std::string cut(std::string line, size_t width) {
  if (width > 0 && line.size() > width) line.resize(width);
  return line + '\n';
}

uint64_t calls_of(const SentProblem& problem) {
  return problem.use.vendor_calls + problem.use.plan_calls;
}

// What the calls of the plans would have taken more from the vendor.
double saved_ns(const StatusAnswer& status) {
  double saved = 0;
  for (const SentProblem& problem : status.problems) {
    if (problem.speedup > 0) saved += problem.use.plan_ns * (problem.speedup - 1);
  }
  return saved;
}

std::string plural(uint64_t count, const std::string& noun) {
  return cache_tool::count_text(static_cast<int64_t>(count)) + ' ' + noun + (count == 1 ? "" : "s");
}

std::vector<std::string> head(const StatusAnswer& status, uint64_t cache_bytes) {
  std::vector<std::string> lines;
  lines.push_back("triode tuner " + std::to_string(status.process) + ", up " +
                  figure("%.0f s", status.uptime_s) + ", " +
                  plural(status.clients.size(), "program") + ", cache " + status.cache + " (" +
                  cache_tool::bytes_text(static_cast<int64_t>(cache_bytes)) + ')');
  lines.push_back(plural(status.problem_count, "problem") + ", " + plural(status.plans, "plan") +
                  ", " + std::to_string(status.waiting) + " waiting; " +
                  plural(status.trials, "trial") + " (" + std::to_string(status.failed_trials) +
                  " failed), " + figure("%.1f/s", status.trials_per_second) + "; " +
                  plural(status.lost_workers, "worker restart") + ", " +
                  plural(status.withdrawals, "withdrawal"));
  const std::string model = status.model.name.empty()
                                ? "heuristics"
                                : status.model.name + ' ' + status.model.digest.substr(0, 12) +
                                      " (" + status.model.origin + ", learned from " +
                                      plural(status.model.learned, "trial") + ")";
  const std::optional<double> regret = tuner::first_choice_regret(status);
  lines.push_back(
      "saved about " + cache_tool::time_text(saved_ns(status)) + "; ranked by " + model +
      (regret ? ", first choices took " + cache_tool::ratio_text(*regret) + " the best" : ""));
  lines.push_back(status.current.empty()
                      ? "idle"
                      : "timing " + status.current + ", " + plural(status.current_trials, "trial"));
  for (const StatusAnswer::Client& client : status.clients) {
    lines.push_back("  " + std::to_string(client.process) + ' ' +
                    std::filesystem::path(client.program).filename().string() + ": " +
                    plural(client.problems, "problem") + ", " +
                    cache_tool::time_text(client.use.total_ns()) + " in matmuls");
  }
  return lines;
}

int urgency(ProblemState state) {
  switch (state) {
    case ProblemState::kTiming:
      return 0;
    case ProblemState::kQueued:
      return 1;
    case ProblemState::kWithdrawn:
      return 2;
    case ProblemState::kTrusted:
      return 3;
    case ProblemState::kTuned:
      return 4;
    case ProblemState::kVendor:
      return 5;
  }
  return 6;
}

bool is_before(const SentProblem& a, const SentProblem& b, SortKey key) {
  switch (key) {
    case SortKey::kTime:
      return a.use.total_ns() > b.use.total_ns();
    case SortKey::kSpeedup:
      return a.speedup > b.speedup;
    case SortKey::kCalls:
      return calls_of(a) > calls_of(b);
    case SortKey::kState:
      return urgency(a.state) < urgency(b.state);
    case SortKey::kProblem:
      return a.problem < b.problem;
  }
  return false;
}

Tone tone_of(ProblemState state) {
  switch (state) {
    case ProblemState::kTuned:
    case ProblemState::kTrusted:
      return Tone::kGood;
    case ProblemState::kWithdrawn:
      return Tone::kBad;
    case ProblemState::kVendor:
      return Tone::kFaint;
    case ProblemState::kQueued:
    case ProblemState::kTiming:
      return Tone::kPlain;
  }
  return Tone::kPlain;
}

std::string problems_text(const StatusAnswer& status, const ViewOptions& options, size_t most) {
  std::vector<SentProblem> problems = status.problems;
  std::stable_sort(
      problems.begin(), problems.end(),
      [&](const SentProblem& a, const SentProblem& b) { return is_before(a, b, options.sort); });
  if (problems.empty())
    return cut("no program has reported a matmul worth tuning yet", options.width);
  if (most == 0) return "";
  if (problems.size() > most) problems.resize(most);
  constexpr size_t kLeastProblem = 16;  // "mm f32 64x500x3…"
  TextTable table({{.title = "STATE", .may_be_left_out = true},
                   {.title = "SPEEDUP", .is_number = true, .may_be_left_out = true},
                   {.title = "CALLS", .is_number = true, .may_be_left_out = true},
                   {.title = "TIME", .is_number = true, .may_be_left_out = true},
                   {.title = "TRIALS", .is_number = true, .may_be_left_out = true},
                   {.title = "PROBLEM", .may_be_cut = true, .least_width = kLeastProblem},
                   {.title = "CONFIG", .may_be_cut = true, .may_be_left_out = true}});
  for (const SentProblem& problem : problems) {
    table.add({{std::string(to_string(problem.state)), tone_of(problem.state)},
               {problem.speedup > 0 ? cache_tool::ratio_text(problem.speedup) : "-", Tone::kPlain},
               {cache_tool::count_text(static_cast<int64_t>(calls_of(problem))), Tone::kPlain},
               {cache_tool::time_text(problem.use.total_ns()), Tone::kPlain},
               {std::to_string(problem.trials), Tone::kPlain},
               {problem.problem, Tone::kPlain},
               {problem.config.empty() ? problem.remark : problem.config, Tone::kFaint}});
  }
  return table.text(
      {.is_terminal = true, .has_colour = options.has_colour, .width = options.width});
}

}  // namespace

std::optional<SortKey> sort_of(char key) {
  switch (key) {
    case 't':
      return SortKey::kTime;
    case 's':
      return SortKey::kSpeedup;
    case 'c':
      return SortKey::kCalls;
    case 'a':
      return SortKey::kState;
    case 'p':
      return SortKey::kProblem;
    default:
      return std::nullopt;
  }
}

std::string top_view(const StatusAnswer& status, uint64_t cache_bytes, const ViewOptions& options) {
  std::vector<std::string> lines = head(status, cache_bytes);
  constexpr size_t kAround = kTableTitle + 2;  // an empty line, and the keys
  // A small screen rather shows problems than every program.
  const size_t room_for_both = options.height > kAround ? options.height - kAround : 0;
  if (options.height > 0 && lines.size() > room_for_both / 2) {
    lines.resize(std::max<size_t>(1, room_for_both / 2));
  }
  const size_t used = lines.size() + kAround;
  const size_t room = options.height == 0     ? status.problems.size()
                      : options.height > used ? options.height - used
                                              : 0;
  std::string text;
  for (std::string& line : lines) text += cut(std::move(line), options.width);
  text += '\n' + problems_text(status, options, room);
  if (options.height > 0) text += cut(std::string(kKeys), options.width);
  return text;
}

std::string view_without_tuner(const std::string& cache, const ViewOptions& options) {
  return cut("no tuner runs for " + cache, options.width) +
         cut("one starts with the first call worth tuning of a program under `triode run`",
             options.width) +
         (options.height > 0 ? cut(std::string(kKeys), options.width) : "");
}

}  // namespace triode::top_tool
