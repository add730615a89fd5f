// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/overhead_contest.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "tools/bench/answering_code.h"
#include "tools/bench/blas_call.h"
#include "tools/bench/calling_companion.h"
#include "tools/bench/comparison.h"
#include "tools/bench/test_case.h"

namespace triode::bench {
namespace {

// Some hundred calls of the smallest shape: reading the clock is then a tenth of a nanosecond a
// call. Longer samples would be interrupted more often.
constexpr std::chrono::microseconds kMinSample{50};

// A function under test, bound to the operands of each thread.
struct Entrant {
  std::string name;
  std::string answered_by;
  std::vector<std::function<void()>> calls;
};

// The contestants of one shape: bound, checked, then timed.
class ShapeContest {
 public:
  ShapeContest(const Problem& problem, const OverheadContestOptions& options)
      : problem_(problem), options_(options) {}

  Status prepare() {
    for (int thread = 0; thread < options_.threads; ++thread) {
      const std::uint64_t seed = options_.seed + static_cast<std::uint64_t>(thread);
      test_cases_.push_back(TRIODE_TRY(TestCase::make(problem_, seed)));
    }
    return {};
  }

  // Checks the function and adds it. An error if it computes wrongly.
  Status add(const std::string& name, void* gemm) {
    Entrant entrant{.name = name, .answered_by = TRIODE_TRY(who_answers(gemm)), .calls = {}};
    for (const auto& test_case : test_cases_) {
      entrant.calls.push_back(bind_cblas(gemm, nullptr, problem_, test_case->operands()));
      test_case->reset_c();
      entrant.calls.back()();
      const Outcome outcome = test_case->check();
      if (!outcome.ok()) return internal_error(name + " computes wrongly: " + outcome.reason);
    }
    entrants_.push_back(std::move(entrant));
    return {};
  }

  const Entrant& last() const { return entrants_.back(); }
  void drop_last() { entrants_.pop_back(); }

  void time(OverheadShape& shape) const {
    ContestOptions contest;
    contest.rounds = options_.rounds;
    contest.min_sample = kMinSample;
    std::unique_ptr<CallingCompanion> companion;
    if (options_.threads > 1) {
      companion = std::make_unique<CallingCompanion>(calls_of_thread(1));
      contest.before_sample = [&companion](std::size_t which) { companion->follow(which); };
    }
    std::vector<Contestant> contestants;
    for (const Entrant& entrant : entrants_) {
      contestants.push_back({entrant.name, entrant.calls.front()});
    }
    Contest timed = hold_contest(contestants, contest);
    shape.rejected_rounds = timed.rejected_rounds;
    shape.is_undisturbed = timed.is_undisturbed;
    for (std::size_t i = 0; i < entrants_.size(); ++i) {
      shape.contestants.push_back({std::move(timed.series[i]), entrants_[i].answered_by, {}});
    }
  }

  void count_misses(const CacheMissCounters& counters, OverheadShape& shape) const {
    for (std::size_t i = 0; i < entrants_.size(); ++i) {
      shape.contestants[i].misses = counters.count(entrants_[i].calls.front());
    }
  }

 private:
  Result<std::string> who_answers(void* gemm) const {
    const auto bytes = static_cast<std::size_t>(problem_.m * problem_.lda) * sizeof(float);
    Operands operands = test_cases_.front()->operands();
    return answering_code(bytes, [&](const void* a) {
      operands.a = a;
      bind_cblas(gemm, nullptr, problem_, operands)();
    });
  }

  std::vector<std::function<void()>> calls_of_thread(std::size_t thread) const {
    std::vector<std::function<void()>> calls;
    for (const Entrant& entrant : entrants_) calls.push_back(entrant.calls[thread]);
    return calls;
  }

  const Problem& problem_;
  const OverheadContestOptions& options_;
  std::vector<std::unique_ptr<TestCase>> test_cases_;  // one for each thread
  std::vector<Entrant> entrants_;
};

// A host in front of another function than the one that is called directly would tell nothing.
Status check_answered(const Entrant& entrant, const std::string& vendor) {
  if (entrant.answered_by == vendor) return {};
  return internal_error(entrant.name + " was answered by " + entrant.answered_by + " instead of " +
                        vendor);
}

}  // namespace

Result<OverheadShape> hold_overhead_contest(const Problem& problem, void* vendor_gemm,
                                            const std::vector<OverheadHost>& hosts,
                                            const OverheadPlan& plan,
                                            const OverheadContestOptions& options,
                                            const CacheMissCounters* counters) {
  OverheadShape shape;
  shape.problem = problem;
  shape.threads = options.threads;
  shape.plan = plan.config;
  shape.plan_remark = plan.remark;
  ShapeContest contest(problem, options);
  TRIODE_TRY(contest.prepare());
  TRIODE_TRY(contest.add(kDirect, vendor_gemm));
  const std::string vendor = contest.last().answered_by;
  for (const OverheadHost& host : hosts) {
    if (host.is_answered_by_kernel && plan.config.empty()) continue;
    TRIODE_TRY(contest.add(host.name, host.cblas_sgemm));
    if (!host.is_answered_by_kernel) {
      TRIODE_TRY(check_answered(contest.last(), vendor));
    } else if (contest.last().answered_by != kGeneratedCode) {
      shape.plan_remark =
          "the plan did not answer the call: " + contest.last().answered_by + " did";
      contest.drop_last();
    }
  }
  contest.time(shape);
  if (counters != nullptr) contest.count_misses(*counters, shape);
  return shape;
}

}  // namespace triode::bench
