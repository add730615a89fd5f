// SPDX-License-Identifier: Apache-2.0
// The scenario of mutation_test.cc with the ranker that tuners use: a host reports one call after
// another, each gets a few trials, and what was learned from the first makes the plans of the last
// good. And proof that the scenario sees what it claims to: with the push of the plans, the
// learner's update or the check taken out, it fails.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/tuner/learned_ranker.h"
#include "runtime/tuner/status_messages.h"
#include "runtime/tuner/vendor_call.h"
#include "tests/learner/made_up_source.h"
#include "tests/learner/small_model.h"
#include "tests/tuner/model_runner.h"
#include "tests/tuner/sample_calls.h"
#include "tests/tuner/serving_tuner.h"

namespace triode::tuner {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr milliseconds kPatience(60000);  // far more than anything here takes
constexpr size_t kTrials = 3;             // of each call, of 432 configs
constexpr size_t kCalls = 40;
// ln of the time of the plans over that of the best configs, mean over the last half of the calls:
// none with what was learned, 1.13 without.
constexpr double kMostRegret = 0.25;

enum class Mutation { kNone, kNoPush, kNoUpdate, kNoCheck };

std::shared_ptr<const CostModel> model_of_the_device() {
  Snapshot snapshot = with_mechanism_features();
  snapshot.support.devices = {h100().name};
  return model_of(std::move(snapshot));
}

// One config in three gives a wrong result, in a third of its time.
bool is_wrong(const Config& config) {
  return (config[0] / 16 + config[1] / 16) % 3 == 0;
}

Config parsed(const std::string& text) {
  return triton_like_space().parse(text).value();
}

// Times of the made-up device, which the model knows but for one law.
class RecordedRunner final : public TrialRunner {
 public:
  RecordedRunner(const MadeUpSource& source, bool checks) : source_(source), checks_(checks) {}

  Result<nanoseconds> begin(const TunedCall& call) override {
    problem_ = TRIODE_TRY(problem_of(call.call));
    vendor_ns_ = 20 * best_ns(problem_);
    return nanoseconds(static_cast<int64_t>(vendor_ns_));
  }
  TrialResult try_config(const std::string& config) override {
    const auto [outcome, ns] = run(parsed(config));
    if (!outcome.ok()) return {outcome, {}, 0};
    return {outcome, {.median_ns = ns, .min_ns = ns, .spread = 0, .count = 3}, 1};
  }
  CheckResult check_config(const std::string& config) override {
    return {run(parsed(config)).first, 1};
  }
  RaceResult race(const std::string& config, nanoseconds) override {
    const auto [outcome, ns] = run(parsed(config));
    RaceResult result{outcome, {}, 1};
    if (!outcome.ok()) return result;
    result.pair.candidate = {.median_ns = ns, .min_ns = ns, .spread = 0, .count = 50};
    result.pair.vendor = {.median_ns = vendor_ns_, .min_ns = vendor_ns_, .spread = 0, .count = 50};
    result.pair.speedup = vendor_ns_ / ns;
    return result;
  }

  // Of those that are right.
  double best_ns(const Problem& problem) const {
    std::vector<Config> right = all_configs();
    std::erase_if(right, is_wrong);
    return source_.best_ns(problem, right);
  }

 private:
  std::pair<Outcome, double> run(const Config& config) const {
    const ReplayedTrial recorded = *source_.trial(problem_, config);
    if (!recorded.outcome.ok() || !is_wrong(config)) {
      return {recorded.outcome, recorded.median_ns};
    }
    if (checks_) return {{OutcomeKind::kWrongResult, "made up"}, 0};
    return {{}, recorded.median_ns / 3};
  }

  const MadeUpSource& source_;
  const bool checks_;
  Problem problem_;
  double vendor_ns_ = 0;
};

// Hears of no trial.
class DeafRanker final : public Ranker {
 public:
  explicit DeafRanker(Ranker& inner) : inner_(inner) {}
  std::vector<Config> propose(const Problem& problem, const Space& space,
                              std::span<const Trial> tried, size_t count) override {
    return inner_.propose(problem, space, tried, count);
  }
  std::optional<Config> choose(const Problem& problem, const Space& space,
                               std::span<const Trial> known) override {
    return inner_.choose(problem, space, known);
  }
  void learn(const Problem&, const Space&, const Trial&) override {}
  void review(const Problem&, const Space&, std::span<const Trial>) override {}
  bool reflect(const Clock&, nanoseconds) override { return false; }
  double expected_saving(const Problem& problem) override {
    return inner_.expected_saving(problem);
  }

 private:
  Ranker& inner_;
};

LearnedRankerOptions ranker_options() {
  LearnedRankerOptions options;
  options.device = h100();
  options.family = KernelFamily::kInductor;
  return options;
}

ProblemSearchOptions few_trials() {
  ProblemSearchOptions options;
  options.batch = options.most_trials = options.finalists = kTrials;
  return options;
}

// A host's part of the scenario, and what came of it: empty if all is well.
class LearnedScenario {
 public:
  explicit LearnedScenario(Mutation mutation)
      : runner_(source_, mutation != Mutation::kNoCheck),
        serving_(
            {.ranker = mutation == Mutation::kNoUpdate ? static_cast<Ranker&>(deaf_) : ranker_,
             .runner = runner_,
             .clock = clock_,
             .space_of = [](const Target&, const Problem&) -> Result<Space> {
               return triton_like_space();
             },
             .search = few_trials(),
             .delivers = [mutation](const Verdict&) { return mutation != Mutation::kNoPush; }}) {
    serving_.start();
  }

  std::string verdict() {
    Connection host = ServingTuner::greeted(serving_.place(), sample_target(), nullptr);
    double regret = 0;
    for (size_t i = 0; i < kCalls; ++i) {
      const VendorCall call = sample_call(static_cast<int64_t>(64 + 24 * i));
      const std::optional<Config> config = plan_for(host, static_cast<int64_t>(i), call);
      if (!config) continue;
      plans_.push_back(triton_like_space().to_string(*config));
      if (is_wrong(*config)) return "a wrong kernel came";
      if (2 * i < kCalls) continue;
      regret += regret_of(*config, call);
      ++late_plans_;
    }
    if (plans_.empty()) return "no plans came";
    if (4 * late_plans_ < kCalls) return "few plans came";
    regret_ = regret / static_cast<double>(late_plans_);
    return regret_ <= kMostRegret ? "" : "slow kernels came";
  }
  double regret() const { return regret_; }
  size_t late_plans() const { return late_plans_; }
  const std::vector<std::string>& plans() const { return plans_; }

 private:
  // None if no verdict with a plan came before the answer to what was asked after it.
  std::optional<Config> plan_for(Connection& host, int64_t id, const VendorCall& call) {
    EXPECT_TRUE(host.send(to_frame(Reports{{ProblemReport{id, call, {10, 1e7, 0, 0}}}})).ok());
    while (serving_.tuner().status().waiting == 0) std::this_thread::sleep_for(milliseconds(1));
    EXPECT_TRUE(serving_.tuner().step([] { return false; }));
    EXPECT_TRUE(host.send(to_frame(Control{false})).ok());
    std::optional<Config> config;
    for (;;) {
      const Frame frame = host.receive_within(kPatience).value();
      const auto verdict = from_frame<Verdict>(frame);
      if (!verdict.ok()) return config;
      if (!verdict->plan.empty()) config = parsed(verdict->plan[0].config);
    }
  }
  double regret_of(const Config& config, const VendorCall& call) const {
    const Problem problem = problem_of(call).value();
    return std::log(source_.trial(problem, config)->median_ns / runner_.best_ns(problem));
  }

  FakeClock clock_;
  const std::shared_ptr<const CostModel> model_ = model_of_the_device();
  const MadeUpSource source_{model_};
  RecordedRunner runner_;
  GridRanker fallback_;
  LearnedRanker ranker_{model_, fallback_, ranker_options()};
  DeafRanker deaf_{ranker_};
  double regret_ = 0;
  size_t late_plans_ = 0;  // for the last half of the calls
  std::vector<std::string> plans_;
  ServingTuner serving_;
};

TEST(LearningTunerFromEndToEnd, FindsGoodRightKernelsAndPushesThem) {
  LearnedScenario scenario(Mutation::kNone);
  EXPECT_EQ(scenario.verdict(), "");
  RecordProperty("regret", std::to_string(scenario.regret()));
  RecordProperty("late_plans", std::to_string(scenario.late_plans()));
}

TEST(LearningTunerFromEndToEnd, FindsTheSamePlansAgain) {
  LearnedScenario first(Mutation::kNone), second(Mutation::kNone);
  EXPECT_EQ(first.verdict(), second.verdict());
  EXPECT_EQ(first.plans(), second.plans());
}

TEST(LearningTunerFromEndToEnd, FailsWithoutThePush) {
  EXPECT_EQ(LearnedScenario(Mutation::kNoPush).verdict(), "no plans came");
}

TEST(LearningTunerFromEndToEnd, FailsWithoutTheLearnersUpdate) {
  LearnedScenario scenario(Mutation::kNoUpdate);
  EXPECT_EQ(scenario.verdict(), "slow kernels came");
  RecordProperty("regret", std::to_string(scenario.regret()));
  RecordProperty("late_plans", std::to_string(scenario.late_plans()));
}

TEST(LearningTunerFromEndToEnd, FailsWithoutTheCheck) {
  EXPECT_EQ(LearnedScenario(Mutation::kNoCheck).verdict(), "a wrong kernel came");
}

}  // namespace
}  // namespace triode::tuner
