// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/shape_benchmark.h"

#include <algorithm>
#include <ctime>

#include "core/clock.h"
#include "jit/x86/gemm_space.h"
#include "tools/bench/compile_times.h"

namespace triode::bench {
namespace {

// Configs whose kernels are compiled once more to time that: a few milliseconds per shape.
constexpr std::size_t kCompiledPerShape = 32;

// Best configs on one thread from which a search on several begins, each with every split.
constexpr std::size_t kSingleStarts = 12;

Problem on_one_thread(Problem problem) {
  problem.threads = 1;
  return problem;
}

}  // namespace

std::optional<Config> ShapeBenchmark::saved_config(const Problem& problem,
                                                   const Space& space) const {
  if (saved_ == nullptr) return std::nullopt;
  const std::optional<std::string> text = saved_->find(problem);
  if (!text) return std::nullopt;
  const Result<Config> config = space.parse(*text);
  // A config of an older space is no error: the search finds a new one.
  return config.ok() ? std::optional(*config) : std::nullopt;
}

std::vector<Config> ShapeBenchmark::starts_for(const Problem& problem, const Space& space) const {
  std::vector<Config> promising = x86::promising_configs(space, problem);
  if (problem.threads == 1) return promising;
  std::vector<Config> starts;
  const auto single = best_single_.find(to_string(on_one_thread(problem)));
  if (single != best_single_.end()) {
    starts = spread_over_threads(space, single->second, problem.threads);
  }
  const std::vector<Config> spread = spread_over_threads(space, promising, problem.threads);
  starts.insert(starts.end(), spread.begin(), spread.end());
  starts.insert(starts.end(), promising.begin(), promising.end());
  return starts;
}

void ShapeBenchmark::remember(const Problem& problem, const SearchResult& found) {
  if (problem.threads == 1) {
    std::vector<Config>& best = best_single_[to_string(problem)];
    for (const RankedConfig& finalist : found.finalists) {
      if (best.size() < kSingleStarts) best.push_back(finalist.config);
    }
  }
  const std::vector<double> times =
      kernel_compile_times_us(on_one_thread(problem), found.tried, kCompiledPerShape);
  compile_us_.insert(compile_us_.end(), times.begin(), times.end());
}

// From what the cache knows of the problem on, and back into the cache with what was learnt.
Result<SearchResult> ShapeBenchmark::search(const Problem& problem, const Space& space,
                                            TestCase& test_case, const SearchOptions& options) {
  std::vector<Config> starts;
  if (memory_ != nullptr) starts = TRIODE_TRY(memory_->best_known(problem, space));
  const std::size_t known = starts.size();
  const std::vector<Config> others = starts_for(problem, space);
  starts.insert(starts.end(), others.begin(), others.end());
  SearchResult found = TRIODE_TRY(
      search_configs(device_, problem, space, starts, test_case, options, steady_clock()));
  found.stats.known_starts = static_cast<std::int64_t>(known);
  if (memory_ != nullptr) {
    TRIODE_TRY(memory_->keep(problem, space, found.trials, std::time(nullptr)));
  }
  return found;
}

Result<ShapeBenchmark::Choice> ShapeBenchmark::choose(const Problem& problem, const Space& space,
                                                      TestCase& test_case,
                                                      const SearchOptions& options) {
  if (const std::optional<Config> config = saved_config(problem, space)) {
    if (problem.threads == 1) best_single_[to_string(problem)] = {*config};
    const std::vector<Config> one = {*config};
    const std::vector<double> times = kernel_compile_times_us(on_one_thread(problem), one, 1);
    compile_us_.insert(compile_us_.end(), times.begin(), times.end());
    return Choice{*config, {}, true};
  }
  SearchResult found = TRIODE_TRY(search(problem, space, test_case, options));
  remember(problem, found);
  const Config best = found.finalists.front().config;
  if (saved_ != nullptr) TRIODE_TRY(saved_->save(problem, space.to_string(best)));
  return Choice{best, std::move(found.stats), false};
}

Contestant ShapeBenchmark::triode_contestant(const MeasuredShape& shape, std::string name) {
  Device& device = device_;
  const Artifact& artifact = *shape.artifact;
  const Operands& operands = shape.test_case->operands();
  // It ran right when it was checked; a call cannot fail later.
  return {std::move(name),
          [&device, &artifact, &operands] { (void)device.run(artifact, operands); }};
}

Result<MeasuredShape> ShapeBenchmark::measure(const Shape& shape, const MachineLimits& limits,
                                              const SearchOptions& search,
                                              const ContestOptions& contest) {
  MeasuredShape measured;
  ShapeResult& result = measured.result;
  result.shape = shape;
  result.shape.problem.threads = limits.threads;
  result.threads = limits.threads;
  const Problem& problem = result.shape.problem;
  const Space space = TRIODE_TRY(device_.enumerate(problem));
  measured.test_case = TRIODE_TRY(TestCase::make(problem, search.seed));
  Choice choice = TRIODE_TRY(choose(problem, space, *measured.test_case, search));
  measured.artifact = TRIODE_TRY(device_.build(problem, choice.config));
  result.config = space.to_string(choice.config);
  result.config_was_saved = choice.was_saved;
  result.search = std::move(choice.stats);
  result.workspace_bytes = static_cast<std::int64_t>(measured.artifact->workspace_bytes());
  result.limit = limit_of(problem, limits, device_.target());

  measured.test_case->reset_c();
  TRIODE_TRY(device_.run(*measured.artifact, measured.test_case->operands()));
  const Outcome outcome = measured.test_case->check();
  if (!outcome.ok())
    return internal_error(result.config + " gave a wrong result: " + outcome.reason);

  std::vector<Contestant> contestants = {triode_contestant(measured, "triode")};
  for (Contestant& peer : right_peers(peers_, problem, *measured.test_case, result.left_out)) {
    contestants.push_back(std::move(peer));
  }
  Contest timed = hold_contest(contestants, contest);
  result.rejected_rounds = timed.rejected_rounds;
  result.is_undisturbed = timed.is_undisturbed;
  result.triode = std::move(timed.series.front());
  result.peers.assign(std::make_move_iterator(timed.series.begin() + 1),
                      std::make_move_iterator(timed.series.end()));
  return measured;
}

TransposeResult ShapeBenchmark::compare_transposes(const std::vector<MeasuredShape>& shapes,
                                                   const ContestOptions& contest) {
  std::vector<Contestant> contestants;
  contestants.reserve(shapes.size());
  for (const MeasuredShape& shape : shapes) {
    contestants.push_back(
        triode_contestant(shape, std::string(transposes_of(shape.result.shape.problem))));
  }
  TransposeResult result;
  result.label = display_name(shapes.front().result.shape);
  result.threads = shapes.front().result.threads;
  result.series = hold_contest(contestants, contest).series;
  return result;
}

}  // namespace triode::bench
