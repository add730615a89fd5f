// SPDX-License-Identifier: Apache-2.0
// One scenario from end to end, over the socket: a host reports a call and gets the fastest right
// kernel there is. And proof that the scenario sees what it claims to: with the push of the plan,
// the learner's update or the check taken out, it fails. The parts are taken out by stand-ins of
// this file; nothing in Triode can be told to do without them.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/device.h"
#include "runtime/tuner/messages.h"
#include "runtime/tuner/status_messages.h"
#include "runtime/tuner/vendor_call.h"
#include "tests/runtime/fake_device.h"
#include "tests/runtime/fake_operands.h"
#include "tests/tuner/sample_calls.h"
#include "tests/tuner/serving_tuner.h"

namespace triode::tuner {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr milliseconds kPatience(20000);  // far more than anything here takes

enum class Mutation { kNone, kNoPush, kNoUpdate, kNoCheck };

// Trials on the device, in this process: build, check, time by the device's clock.
class DeviceRunner final : public TrialRunner {
 public:
  DeviceRunner(FakeDevice& device, FakeClock& clock, bool checks)
      : device_(device), clock_(clock), checks_(checks) {}

  Result<nanoseconds> begin(const TunedCall& call) override {
    problem_ = TRIODE_TRY(problem_of(call.call));
    operands_ = std::make_unique<FakeOperands>(problem_);
    return kVendorCall;
  }
  TrialResult try_config(const std::string& config) override {
    const auto [outcome, ns] = run_checked(config);
    if (!outcome.ok()) return {outcome, {}, 0};
    return {outcome, {.median_ns = ns, .min_ns = ns, .spread = 0, .count = 3}, 1};
  }
  CheckResult check_config(const std::string& config) override {
    return {run_checked(config).first, 1};
  }
  RaceResult race(const std::string& config, nanoseconds) override {
    const auto [outcome, ns] = run_checked(config);
    RaceResult result{outcome, {}, 1};
    if (!outcome.ok()) return result;
    const auto vendor_ns = static_cast<double>(kVendorCall.count());
    result.pair.candidate = {.median_ns = ns, .min_ns = ns, .spread = 0, .count = 50};
    result.pair.vendor = {.median_ns = vendor_ns, .min_ns = vendor_ns, .spread = 0, .count = 50};
    result.pair.speedup = vendor_ns / ns;
    return result;
  }

  static constexpr nanoseconds kVendorCall = microseconds(8);

 private:
  std::pair<Outcome, double> run_checked(const std::string& text) {
    const Config config = device_.enumerate(problem_).value().parse(text).value();
    const auto artifact = device_.build(problem_, config);
    operands_->reset_c();
    const nanoseconds begin = clock_.now();
    EXPECT_TRUE(device_.run(**artifact, operands_->operands()).ok());
    // A call is never free.
    const double ns = 500 + static_cast<double>((clock_.now() - begin).count());
    return {checks_ ? operands_->check() : Outcome(), ns};
  }

  FakeDevice& device_;
  FakeClock& clock_;
  const bool checks_;
  Problem problem_;
  std::unique_ptr<FakeOperands> operands_;
};

// Proposes what lies beside the best that it was told of; what was tried says nothing to it but
// what not to try again.
class ClimbingRanker final : public Ranker {
 public:
  explicit ClimbingRanker(bool learns) : learns_(learns) {}

  std::vector<Config> propose(const Problem&, const Space& space, std::span<const Trial> tried,
                              size_t count) override {
    std::vector<std::pair<double, Config>> ranking;
    space.for_each([&](const Config& config) {
      const bool is_new = std::none_of(tried.begin(), tried.end(),
                                       [&](const Trial& trial) { return trial.config == config; });
      if (is_new) ranking.emplace_back(distance(config), config);
      return true;
    });
    std::stable_sort(ranking.begin(), ranking.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Config> proposed;
    for (size_t i = 0; i < std::min(count, ranking.size()); ++i) {
      proposed.push_back(ranking[i].second);
    }
    return proposed;
  }
  std::optional<Config> choose(const Problem&, const Space&, std::span<const Trial>) override {
    return std::nullopt;
  }
  void review(const Problem&, const Space&, std::span<const Trial>) override {}
  bool reflect(const Clock&, nanoseconds) override { return false; }
  void learn(const Problem&, const Space&, const Trial& trial) override {
    if (!learns_ || !trial.outcome.ok() || trial.measurement.min_ns >= best_ns_) return;
    best_ns_ = trial.measurement.min_ns;
    best_ = trial.config;
  }
  double expected_saving(const Problem&) override { return 0.5; }

 private:
  double distance(const Config& config) const {
    if (best_.size() == 0) return 0;
    return std::abs(config[0] - best_[0]) + std::abs(config[1] - best_[1]);
  }

  const bool learns_;
  Config best_;
  double best_ns_ = 1e300;
};

// A host's part of the scenario, and what came of it: empty if all is well.
class Scenario {
 public:
  explicit Scenario(Mutation mutation)
      : runner_(device_, clock_, mutation != Mutation::kNoCheck),
        ranker_(mutation != Mutation::kNoUpdate),
        serving_(
            {.ranker = ranker_,
             .runner = runner_,
             .clock = clock_,
             .space_of = [this](const Target&,
                                const Problem& problem) { return device_.enumerate(problem); },
             .search = few_trials(),
             .delivers = [mutation](const Verdict&) { return mutation != Mutation::kNoPush; }}) {
    device_.wrong_x = {1};  // quicker than any right one, and near where a search begins
    serving_.start();
  }

  std::string verdict() {
    Connection host = ServingTuner::greeted(serving_.place(), sample_target(), nullptr);
    const Reports reports{{ProblemReport{5, sample_call(16), {10, 1e7, 0, 0}}}};
    EXPECT_TRUE(host.send(to_frame(reports)).ok());
    while (serving_.tuner().status().waiting == 0) std::this_thread::sleep_for(milliseconds(1));
    EXPECT_TRUE(serving_.tuner().step([] { return false; }));
    // What comes after this answer was not sent before it.
    EXPECT_TRUE(host.send(to_frame(Control{false})).ok());
    const Frame frame = host.receive_within(kPatience).value();
    const auto verdict = from_frame<Verdict>(frame);
    if (!verdict.ok() || verdict->plan.empty()) return "no plan came";
    return judge(verdict->plan[0]);
  }

 private:
  // Of 128 configs; enough for who learns from them.
  static ProblemSearchOptions few_trials() {
    ProblemSearchOptions options;
    options.batch = 4;
    options.most_trials = 48;
    return options;
  }

  // What the host's calls give and take with this plan.
  std::string judge(const SentPlan& plan) {
    const Problem problem = problem_of(sample_call(16)).value();
    const Config config = device_.enumerate(problem).value().parse(plan.config).value();
    FakeOperands operands(problem);
    operands.reset_c();
    const nanoseconds begin = clock_.now();
    EXPECT_TRUE(device_.run(**device_.build(problem, config), operands.operands()).ok());
    if (!operands.check().ok()) return "a wrong kernel came";
    const bool is_fastest = config[0] == device_.fast_x && config[1] == device_.fast_y;
    return is_fastest && clock_.now() > begin ? "" : "a slow kernel came";
  }

  FakeClock clock_;
  FakeDevice device_{clock_};
  DeviceRunner runner_;
  ClimbingRanker ranker_;
  ServingTuner serving_;
};

TEST(TunerFromEndToEnd, FindsTheFastestRightKernelAndPushesIt) {
  EXPECT_EQ(Scenario(Mutation::kNone).verdict(), "");
}

TEST(TunerFromEndToEnd, FailsWithoutThePush) {
  EXPECT_EQ(Scenario(Mutation::kNoPush).verdict(), "no plan came");
}

TEST(TunerFromEndToEnd, FailsWithoutTheLearnersUpdate) {
  EXPECT_EQ(Scenario(Mutation::kNoUpdate).verdict(), "a slow kernel came");
}

TEST(TunerFromEndToEnd, FailsWithoutTheCheck) {
  EXPECT_EQ(Scenario(Mutation::kNoCheck).verdict(), "a wrong kernel came");
}

}  // namespace
}  // namespace triode::tuner
