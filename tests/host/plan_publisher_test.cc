// SPDX-License-Identifier: Apache-2.0
// Plans for a GPU: published, watched and withdrawn. No GPU takes part; what the processor's do is
// tested with the loops that use them.
#include "runtime/host/plan_publisher.h"

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <optional>

#include "runtime/host/gpu_flavour.h"
#include "tests/host/host_calls.h"

namespace triode::host {
namespace {

class IdlePlan final : public Executable {
 public:
  bool run(const RawCall&, bool) const noexcept override { return true; }
  uint64_t digest() const override { return 7; }
};

// Tells the stretches that the test puts there.
class ScriptedStopwatch final : public GpuStopwatch {
 public:
  explicit ScriptedStopwatch(std::deque<Stretch>& stretches) : stretches_(stretches) {}
  bool may_time(void*) const noexcept override { return true; }
  GpuLap* begin(Answerer, void*) noexcept override { return nullptr; }
  std::optional<Stretch> take_stretch(size_t) override {
    if (stretches_.empty()) return std::nullopt;
    const Stretch next = stretches_.front();
    stretches_.pop_front();
    return next;
  }
  void restart() override { stretches_.clear(); }

 private:
  std::deque<Stretch>& stretches_;
};

class GpuMaker final : public PlanMaker {
 public:
  const Target& target() const override { return target_; }
  bool serves(const PlanEntry&) const override { return true; }
  Result<std::unique_ptr<const Executable>> make(const Problem&, const MadePlan&) const override {
    return std::unique_ptr<const Executable>(new IdlePlan);
  }
  std::unique_ptr<GpuStopwatch> make_stopwatch() const override {
    if (!has_events) return nullptr;
    return std::make_unique<ScriptedStopwatch>(stretches);
  }

  bool has_events = true;
  mutable std::deque<GpuStopwatch::Stretch> stretches;

 private:
  Target target_;
};

class GpuPlanPublisher : public ::testing::Test {
 protected:
  GpuPlanPublisher() {
    CallKey key{.m = 64, .n = 64, .k = 64, .lda = 64, .ldb = 64, .ldc = 64};
    key.traits = call_traits::of_site(Symbol::k_cublasSgemm_v2, 1) |
                 call_traits::of_spelling({encode({}), 0, 0}) | call_traits::of_scalars(1.0, 0.0) |
                 uint64_t{1} << call_traits::kThreads;
    entry_ = table_.add(key, PlanTable::hash_of(key), meaning_of(key), &table_);
  }
  ~GpuPlanPublisher() override {
    delete entry_->executable.load();
    delete entry_->stopwatch.load();
  }

  void publish() { ASSERT_TRUE(publisher_.publish(*entry_, {"config", 7, "code"}, 1.5, "").ok()); }
  // So many stretches of the program's time; what was withdrawn in the end.
  std::vector<PlanPublisher::Withdrawn> run(int stretches, double plan_ns, double vendor_ns) {
    std::vector<PlanPublisher::Withdrawn> all;
    for (int i = 0; i < stretches; ++i) {
      maker_.stretches.push_back({plan_ns, vendor_ns});
      for (const auto& each : publisher_.withdraw_slower()) all.push_back(each);
    }
    return all;
  }

  PlanTable& table_ = *PlanTable::create();
  GpuMaker maker_;
  PublishedPlans published_;
  TickClock ticks_;
  PlanPublisher publisher_{{table_, maker_, published_, ticks_}};
  PlanEntry* entry_ = nullptr;
};

TEST_F(GpuPlanPublisher, WithdrawsAPlanThatIsSlowerInTheProgram) {
  publish();
  ASSERT_TRUE(entry_->is_shadowed.load());
  EXPECT_TRUE(run(11, 105, 100).empty());
  const auto withdrawn = run(1, 106, 100);
  ASSERT_EQ(withdrawn.size(), 1u);
  EXPECT_EQ(withdrawn[0].entry, entry_);
  EXPECT_EQ(withdrawn[0].code_digest, 7u);
  EXPECT_EQ(withdrawn[0].plan_ns, 106);
  EXPECT_EQ(withdrawn[0].vendor_ns, 100);
  EXPECT_EQ(entry_->executable.load(), nullptr);
  EXPECT_FALSE(entry_->is_shadowed.load());
  EXPECT_EQ(published_.find(entry_->index)->state, PlanState::kWithdrawn);
}

TEST_F(GpuPlanPublisher, WithdrawsOneThatTakesTwiceAsLongSoon) {
  publish();
  EXPECT_EQ(run(4, 200, 100).size(), 1u);
}

TEST_F(GpuPlanPublisher, KeepsAPlanThatIsFaster) {
  publish();
  EXPECT_TRUE(run(100, 95, 100).empty());
  EXPECT_NE(entry_->executable.load(), nullptr);
}

TEST_F(GpuPlanPublisher, WatchesTheNextPlanAnew) {
  publish();
  EXPECT_EQ(run(4, 200, 100).size(), 1u);
  publish();
  EXPECT_TRUE(entry_->is_shadowed.load());
  EXPECT_TRUE(run(3, 200, 100).empty());
  EXPECT_EQ(run(1, 200, 100).size(), 1u);
}

TEST_F(GpuPlanPublisher, LetsAPlanAnswerUnwatchedWhereThereAreNoEvents) {
  maker_.has_events = false;
  publish();
  EXPECT_NE(entry_->executable.load(), nullptr);
  EXPECT_FALSE(entry_->is_shadowed.load());
  EXPECT_TRUE(run(100, 200, 100).empty());
}

}  // namespace
}  // namespace triode::host
