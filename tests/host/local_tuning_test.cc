// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/local_tuning.h"

#include <gtest/gtest.h>

#include <utility>

#include "jit/x86/gemm_space.h"
#include "runtime/host/original_finder.h"
#include "runtime/host/vendor.h"
#include "runtime/host/vendor_name.h"
#include "tests/host/host_calls.h"
#include "tests/runtime/temporary_folder.h"

namespace triode::host {
namespace {

// Answers as it is told, and notes what it was asked.
class ScriptedSource final : public PlanSource {
 public:
  Result<std::optional<FoundPlan>> find(const TuningRequest& request,
                                        const std::function<bool()>&) override {
    asked.push_back(request.problem);
    return answer;
  }

  Result<std::optional<FoundPlan>> answer = std::optional<FoundPlan>();
  std::vector<Problem> asked;
};

class LocalTuningTest : public testing::Test {
 protected:
  ~LocalTuningTest() override {
    table_.for_each([](PlanEntry& entry) { delete entry.executable.load(); });
  }

  // An entry whose vendor calls have taken this long.
  PlanEntry& add_entry(int64_t m, uint64_t calls, double each_ns) {
    RawCall call = HostCall(m, 8, 8).raw();
    call.key.traits |= call_traits::of_site(Symbol::k_cblas_sgemm, vendor_of_function(original_)) |
                       uint64_t{1} << call_traits::kThreads;
    PlanEntry* const entry =
        table_.add(call.key, PlanTable::hash_of(call.key), meaning_of(call.key), original_);
    CallCounter& counter = own_record().counters[entry->index];
    counter.by_vendor.calls = calls;
    counter.by_vendor.timed = calls;
    counter.by_vendor.ticks = ticks_for(each_ns * static_cast<double>(calls));
    counter.by_us.calls = counter.by_us.timed = counter.by_us.ticks = 0;
    return *entry;
  }

  // Some calls that were timed.
  void add_calls(CallCounter::Side& side, double each_ns) {
    side.calls += 4;
    side.timed += 4;
    side.ticks += ticks_for(4 * each_ns);
  }

  uint64_t ticks_for(double ns) const {
    return static_cast<uint64_t>(ns / ticks_.nanoseconds_per_tick());
  }

  FoundPlan plan_for(const PlanEntry& entry) {
    const Space space = std::move(maker_->device().enumerate(entry.problem)).take();
    const Config config = x86::promising_configs(space, entry.problem).front();
    const uint64_t digest = build_first(entry)->digest();
    return {config, space.to_string(config), digest, 1.5, 0.01, 150, 100};
  }

  bool step() {
    return tuning_.step([] { return false; });
  }

  // A function of this program in place of a BLAS's; nobody calls it.
  void* original_ = reinterpret_cast<void*>(&own_record);
  PlanTable& table_ = *PlanTable::create();
  std::unique_ptr<CpuPlanMaker> maker_ = std::move(CpuPlanMaker::create()).take();
  PublishedPlans published_;
  TickClock ticks_;
  ScriptedSource source_;
  TemporaryFolder folder_;
  KeptPlans kept_{(folder_.path() / "host.plans").string(), maker_->device().target()};
  LocalTuning tuning_{{table_, *maker_, published_, ticks_}, source_, kept_};
};

TEST_F(LocalTuningTest, LooksFirstIntoWhatCostsMost) {
  add_entry(3, 100, 2e4);
  add_entry(4, 10, 9e6);
  EXPECT_TRUE(step());
  ASSERT_EQ(source_.asked.size(), 1u);
  EXPECT_EQ(source_.asked[0].m, 4);
}

TEST_F(LocalTuningTest, LeavesAloneWhatIsNotWorthIt) {
  add_entry(3, 1, 1e9);
  add_entry(4, 100, 10);
  EXPECT_FALSE(step());
  EXPECT_TRUE(source_.asked.empty());
}

TEST_F(LocalTuningTest, LooksIntoEachOnce) {
  const PlanEntry& entry = add_entry(3, 100, 1e6);
  EXPECT_TRUE(step());
  EXPECT_FALSE(step());
  EXPECT_EQ(published_.find(entry.index)->state, PlanState::kVendorStays);
}

TEST_F(LocalTuningTest, PublishesAndKeepsWhatIsFound) {
  PlanEntry& entry = add_entry(3, 100, 1e6);
  source_.answer = std::optional(plan_for(entry));
  EXPECT_TRUE(step());
  ASSERT_NE(entry.executable.load(), nullptr);
  EXPECT_EQ(published_.find(entry.index)->state, PlanState::kPlanned);
  const KeptPlans again((folder_.path() / "host.plans").string(), maker_->device().target());
  EXPECT_NE(again.find(entry.problem, vendor_name(entry.key)), nullptr);
}

TEST_F(LocalTuningTest, TakesAKeptPlanWithoutASearch) {
  PlanEntry& entry = add_entry(3, 100, 1e6);
  const FoundPlan plan = plan_for(entry);
  ASSERT_TRUE(kept_
                  .keep({entry.problem, plan.config_text, vendor_name(entry.key), plan.code_digest,
                         1.5, 150, 100})
                  .ok());
  EXPECT_TRUE(step());
  EXPECT_TRUE(source_.asked.empty());
  EXPECT_NE(entry.executable.load(), nullptr);
}

TEST_F(LocalTuningTest, SearchesAgainWhereTheKeptCodeIsAnother) {
  PlanEntry& entry = add_entry(3, 100, 1e6);
  const FoundPlan plan = plan_for(entry);
  ASSERT_TRUE(
      kept_.keep({entry.problem, plan.config_text, vendor_name(entry.key), 12345, 1.5, 150, 100})
          .ok());
  EXPECT_TRUE(step());
  EXPECT_EQ(source_.asked.size(), 1u);
}

TEST_F(LocalTuningTest, DoesNotUseAPlanThatBeatAnotherVendor) {
  PlanEntry& entry = add_entry(3, 100, 1e6);
  const FoundPlan plan = plan_for(entry);
  ASSERT_TRUE(kept_
                  .keep({entry.problem, plan.config_text, "libother.so 1 cblas_sgemm",
                         plan.code_digest, 1.5, 150, 100})
                  .ok());
  EXPECT_TRUE(step());
  EXPECT_EQ(source_.asked.size(), 1u);
}

TEST_F(LocalTuningTest, TakesBackAPlanThatIsSlowerInTheProgram) {
  PlanEntry& entry = add_entry(3, 100, 1e6);
  source_.answer = std::optional(plan_for(entry));
  step();
  CallCounter& counter = own_record().counters[entry.index];
  for (int stretch = 0; stretch < 12; ++stretch) {
    EXPECT_NE(entry.executable.load(), nullptr);
    add_calls(counter.by_us, 1.1e6);
    add_calls(counter.by_vendor, 1e6);
    step();
  }
  EXPECT_EQ(entry.executable.load(), nullptr);
  EXPECT_FALSE(entry.is_shadowed);
  EXPECT_EQ(published_.find(entry.index)->state, PlanState::kWithdrawn);
}

TEST_F(LocalTuningTest, KeepsAPlanWhereTheVendorHasBecomeSlowerToo) {
  PlanEntry& entry = add_entry(3, 100, 1e6);
  source_.answer = std::optional(plan_for(entry));
  step();
  EXPECT_TRUE(entry.is_shadowed);
  CallCounter& counter = own_record().counters[entry.index];
  for (int stretch = 0; stretch < 50; ++stretch) {
    add_calls(counter.by_us, 5e6);
    add_calls(counter.by_vendor, 6e6);
    step();
  }
  EXPECT_NE(entry.executable.load(), nullptr);
}

TEST_F(LocalTuningTest, LooksIntoNoCallOfALibraryThatIsGone) {
  original_ = reinterpret_cast<void*>(1);
  const PlanEntry& entry = add_entry(3, 100, 1e6);
  EXPECT_TRUE(step());
  EXPECT_TRUE(source_.asked.empty());
  EXPECT_EQ(published_.find(entry.index)->state, PlanState::kVendorStays);
  EXPECT_FALSE(step());
}

TEST_F(LocalTuningTest, SettlesNothingWhenItIsStopped) {
  const PlanEntry& entry = add_entry(3, 100, 1e6);
  tuning_.step([] { return true; });
  EXPECT_FALSE(published_.find(entry.index).has_value());
}

TEST_F(LocalTuningTest, SaysWhyAfterAnError) {
  const PlanEntry& entry = add_entry(3, 100, 1e6);
  source_.answer = resource_exhausted("no memory for operands");
  step();
  EXPECT_EQ(published_.find(entry.index)->remark, "no memory for operands");
}

}  // namespace
}  // namespace triode::host
