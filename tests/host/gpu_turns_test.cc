// SPDX-License-Identifier: Apache-2.0
// Who answers calls on a GPU that have a plan. No GPU takes part.
#include <gtest/gtest.h>

#include "runtime/host/dispatcher.h"
#include "runtime/host/gpu_flavour.h"
#include "tests/host/host_calls.h"

namespace triode::host {
namespace {

class CountingPlan final : public Executable {
 public:
  bool run(const RawCall&, bool) const noexcept override { return is_able; }
  uint64_t digest() const override { return 1; }

  bool is_able = true;
};

// Notes which calls are timed.
class NotingStopwatch final : public GpuStopwatch {
 public:
  bool may_time(void*) const noexcept override { return !is_captured; }
  GpuLap* begin(Answerer answerer, void*) noexcept override {
    if (!has_laps) return nullptr;
    lap.answerer = answerer;
    return &lap;
  }
  std::optional<Stretch> take_stretch(size_t) override { return std::nullopt; }
  void restart() override {}

  struct Lap final : GpuLap {
    void end(bool counts) noexcept override {
      ++(!counts ? dropped : answerer == Answerer::kPlan ? plan : vendor);
    }
    Answerer answerer{};
    int plan = 0, vendor = 0, dropped = 0;
  };
  Lap lap;
  bool is_captured = false;
  bool has_laps = true;
};

class GpuTurns : public ::testing::Test {
 protected:
  GpuTurns() {
    forget_other_threads(PlanTable::kCapacity);
    leave(enter());
    table_.for_each([this](PlanEntry& entry) { entry_ = &entry; });
    entry_->executable = &plan_;
    entry_->stopwatch = &stopwatch_;
    entry_->is_shadowed = true;
  }

  GpuTicket enter() {
    RawCall call = call_.raw();
    call.key.traits = call_traits::of_spelling({encode({}), 0, 0}) |
                      call_traits::of_scalars(call.alpha, call.beta);
    return dispatcher_.enter_gpu(call, site_, 1);
  }
  void leave(const GpuTicket& ticket, bool has_succeeded = true) {
    if (!ticket.vendor.is_answered) dispatcher_.leave_gpu(ticket, has_succeeded);
  }
  // How many of so many calls the vendor answers.
  int by_vendor(int calls, bool has_succeeded = true) {
    int count = 0;
    for (int i = 0; i < calls; ++i) {
      const GpuTicket ticket = enter();
      count += ticket.vendor.is_answered ? 0 : 1;
      leave(ticket, has_succeeded);
    }
    return count;
  }

  HostCall call_{8, 8, 8};
  CountingPlan plan_;
  NotingStopwatch stopwatch_;
  PlanTable& table_ = *PlanTable::create();
  AddingSlowPath slow_path_{table_};
  Dispatcher dispatcher_{table_, slow_path_, {}};
  volatile int no_threads_ = -1;
  const CallSite site_{nullptr,
                       Symbol::k_cublasSgemm_v2,
                       nullptr,
                       single_thread_site().vendor,
                       call_traits::of_site(Symbol::k_cublasSgemm_v2, 1),
                       &no_threads_};
  PlanEntry* entry_ = nullptr;
};

TEST_F(GpuTurns, AlternateOftenAtFirstAndSeldomLater) {
  // 512 calls of the plan with 16 turns of the vendor's, of two calls each.
  EXPECT_EQ(by_vendor(512 + 2 * 16), 2 * 16);
  EXPECT_EQ(stopwatch_.lap.vendor, 16);
  EXPECT_EQ(stopwatch_.lap.plan, 512 / 8);
  stopwatch_.lap = {};
  EXPECT_EQ(by_vendor(4 * 258), 2 * 4);
  EXPECT_EQ(stopwatch_.lap.vendor, 4);
  EXPECT_EQ(stopwatch_.lap.plan, 4 * 4);
}

TEST_F(GpuTurns, AreThePlansWhileTheStreamIsCaptured) {
  stopwatch_.is_captured = true;
  EXPECT_EQ(by_vendor(600), 0);
  EXPECT_EQ(stopwatch_.lap.plan + stopwatch_.lap.vendor, 0);
}

TEST_F(GpuTurns, AreThePlansWhereNobodyWatches) {
  entry_->is_shadowed = false;
  EXPECT_EQ(by_vendor(600), 0);
  EXPECT_EQ(stopwatch_.lap.plan + stopwatch_.lap.vendor, 0);
}

TEST_F(GpuTurns, AreNotTheVendorsForATimeThatNobodyTakes) {
  stopwatch_.has_laps = false;
  EXPECT_EQ(by_vendor(33), 1) << "the one that is to be timed later, and then cannot be";
}

TEST_F(GpuTurns, DoNotCountWhatDidNotRun) {
  plan_.is_able = false;
  EXPECT_EQ(by_vendor(3), 3);
  EXPECT_EQ(stopwatch_.lap.plan, 0);
  plan_.is_able = true;
  stopwatch_.lap = {};
  EXPECT_EQ(by_vendor(26, false), 2);
  EXPECT_EQ(stopwatch_.lap.vendor, 0);
  EXPECT_EQ(stopwatch_.lap.dropped, 1);
}

}  // namespace
}  // namespace triode::host
