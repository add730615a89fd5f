// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/hit_path.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "runtime/host/call_tally.h"
#include "tests/host/host_calls.h"

namespace triode::host {
namespace {

class DispatcherTest : public testing::Test {
 protected:
  // Counters are a thread's, by the place in a table: those of the tests before would go on.
  DispatcherTest() { forget_other_threads(PlanTable::kCapacity); }

  VendorTicket enter(const HostCall& call) {
    RawCall raw = call.raw();
    return dispatcher_.enter(raw, site_);
  }

  VendorTicket enter_from(const void* frame, const HostCall& call) {
    RawCall raw = call.raw();
    raw.frame = frame;
    return dispatcher_.enter(raw, site_);
  }

  // What the interceptor does before enter().
  bool answer_repeated(HostCall& call, float alpha = 1, float beta = 0) {
    return dispatcher_.answer_repeated(site_, call.sizes(), call.spelling(), call.a(), call.b(),
                                       call.c(), alpha, beta);
  }

  PlanEntry& entry_of(const HostCall& call) {
    dispatcher_.leave(enter(call));
    PlanEntry* found = nullptr;
    table_.for_each([&](PlanEntry& entry) { found = &entry; });
    return *found;
  }

  void publish(PlanEntry& entry) {
    published_.push_back(build_first(entry));
    entry.executable.store(published_.back().get());
  }

  EntryTally tally(const PlanEntry& entry) { return tally_entry(entry.index, 1); }

  static constexpr char frames_[2] = {};  // the first lies deeper
  std::vector<std::unique_ptr<const Executable>> published_;
  PlanTable& table_ = *PlanTable::create();
  AddingSlowPath slow_path_{table_};
  Dispatcher dispatcher_{table_, slow_path_, {}};
  volatile int vendor_threads_ = 1;
  const CallSite site_{nullptr,
                       Symbol::k_cblas_sgemm,
                       nullptr,
                       single_thread_site().vendor,
                       single_thread_site().traits,
                       &vendor_threads_};
};

TEST_F(DispatcherTest, SendsACallItDoesNotKnowToTheVendorAndCountsIt) {
  HostCall call(8, 8, 8);
  const VendorTicket ticket = enter(call);
  EXPECT_FALSE(ticket.is_answered);
  ASSERT_NE(ticket.counter, nullptr);
  const uint64_t before = ticket.counter->by_vendor.calls;
  dispatcher_.leave(ticket);
  EXPECT_EQ(ticket.counter->by_vendor.calls, before + 1);
}

TEST_F(DispatcherTest, AsksTheSlowPathOnceForEachKey) {
  HostCall call(8, 8, 8);
  dispatcher_.leave(enter(call));
  dispatcher_.leave(enter(call));
  EXPECT_EQ(slow_path_.misses, 1);
  HostCall other(8, 8, 9);
  dispatcher_.leave(enter(other));
  EXPECT_EQ(slow_path_.misses, 2);
}

TEST_F(DispatcherTest, RunsAPublishedPlan) {
  HostCall call(13, 17, 19);
  PlanEntry& entry = entry_of(call);
  const uint64_t before = tally(entry).by_us.calls;
  publish(entry);
  call.spoil_c();
  EXPECT_TRUE(enter(call).is_answered);
  EXPECT_TRUE(call.c_is_right());
  EXPECT_EQ(tally(entry).by_us.calls, before + 1);
}

TEST_F(DispatcherTest, RunsAPlanThatTakesItsScalarsFromTheCall) {
  HostCall call(13, 17, 19, 0.5, -2);
  publish(entry_of(call));
  call.spoil_c();
  EXPECT_TRUE(enter(call).is_answered);
  EXPECT_TRUE(call.c_is_right());
}

TEST_F(DispatcherTest, LeavesACallWhoseResultOverlapsAnOperandToTheVendor) {
  HostCall call(8, 8, 8);
  publish(entry_of(call));
  call.move_c_into_a();
  const VendorTicket ticket = enter(call);
  EXPECT_FALSE(ticket.is_answered);
  dispatcher_.leave(ticket);
}

TEST_F(DispatcherTest, PassesANestedCallThroughUncounted) {
  HostCall call(8, 8, 8), other(8, 8, 9);
  publish(entry_of(call));
  const VendorTicket outer = enter_from(&frames_[1], other);
  const VendorTicket nested = enter_from(&frames_[0], call);
  EXPECT_FALSE(answer_repeated(call));
  EXPECT_FALSE(nested.is_answered);
  EXPECT_EQ(nested.thread, nullptr);
  dispatcher_.leave(outer);
}

TEST_F(DispatcherTest, TakesACallFromNoDeeperForOneAfterAnotherThatWasLeft) {
  HostCall call(8, 8, 8);
  for (const char* const frame : {&frames_[0], &frames_[0], &frames_[1]}) {
    EXPECT_NE(enter_from(frame, call).counter, nullptr);  // and never leaves
  }
  this_thread_record->busy_with = nullptr;
}

// It could be freed while it runs.
TEST_F(DispatcherTest, NeverTakesCodeOfOursForLeft) {
  HostCall call(8, 8, 8);
  const std::unique_ptr<const Executable> running = build_first(entry_of(call));
  dispatcher_.leave(enter_from(&frames_[0], call));
  this_thread_record->busy_with = running.get();
  EXPECT_EQ(enter_from(&frames_[1], call).thread, nullptr);
  this_thread_record->busy_with = nullptr;
}

TEST_F(DispatcherTest, GuessesTheSameCallFromTheSameSite) {
  HostCall call(8, 8, 8);
  publish(entry_of(call));
  EXPECT_FALSE(answer_repeated(call));
  ASSERT_TRUE(enter(call).is_answered);
  call.spoil_c();
  EXPECT_TRUE(answer_repeated(call));
  EXPECT_TRUE(call.c_is_right());
}

TEST_F(DispatcherTest, DoesNotGuessAnotherCall) {
  HostCall call(8, 8, 8);
  publish(entry_of(call));
  ASSERT_TRUE(enter(call).is_answered);
  HostCall other(8, 8, 9);
  EXPECT_FALSE(answer_repeated(other));
  EXPECT_FALSE(answer_repeated(call, 2, 0));
  EXPECT_FALSE(answer_repeated(call, 1, 1));
  EXPECT_FALSE(answer_repeated(call, 1, -0.0f)) << "a zero with a sign goes the longer way";
}

TEST_F(DispatcherTest, DoesNotGuessForAnotherThreadBudget) {
  HostCall call(8, 8, 8);
  publish(entry_of(call));
  ASSERT_TRUE(enter(call).is_answered);
  vendor_threads_ = 2;
  EXPECT_FALSE(answer_repeated(call));
}

TEST_F(DispatcherTest, HasNoPlanForAnotherThreadBudget) {
  HostCall call(8, 8, 8);
  publish(entry_of(call));
  vendor_threads_ = 2;
  const VendorTicket ticket = enter(call);
  EXPECT_FALSE(ticket.is_answered);
  dispatcher_.leave(ticket);
}

TEST_F(DispatcherTest, TakesAWithdrawnPlanNoMore) {
  HostCall call(8, 8, 8);
  PlanEntry& entry = entry_of(call);
  publish(entry);
  ASSERT_TRUE(enter(call).is_answered);
  entry.executable.store(nullptr);
  EXPECT_FALSE(answer_repeated(call));
  const VendorTicket ticket = enter(call);
  EXPECT_FALSE(ticket.is_answered);
  dispatcher_.leave(ticket);
}

TEST_F(DispatcherTest, SendsSomeCallsOfAWatchedPlanToTheVendorAndTimesThem) {
  HostCall call(8, 8, 8);
  PlanEntry& entry = entry_of(call);
  publish(entry);
  entry.is_shadowed = true;
  const EntryTally before = tally(entry);
  int timed = 0;
  for (int i = 0; i < 4 * 258; ++i) {
    if (answer_repeated(call)) continue;
    const VendorTicket ticket = enter(call);
    if (ticket.is_answered) continue;
    timed += ticket.start_ticks != 0 ? 1 : 0;
    dispatcher_.leave(ticket);
  }
  const EntryTally after = tally(entry);
  EXPECT_EQ(after.by_vendor.calls - before.by_vendor.calls, 8u);
  EXPECT_EQ(timed, 4);
  EXPECT_EQ(after.by_us.calls - before.by_us.calls, 4u * 256u);
}

TEST_F(DispatcherTest, SendsNoneOfAPlanThatIsNotWatched) {
  HostCall call(8, 8, 8);
  publish(entry_of(call));
  for (int i = 0; i < 600; ++i) EXPECT_TRUE(enter(call).is_answered);
}

TEST_F(DispatcherTest, ShadowsTwoCallsThatTakeTurns) {
  HostCall call(8, 8, 8), other(8, 8, 9);
  for (HostCall* const one : {&call, &other}) {
    PlanEntry& entry = entry_of(*one);
    publish(entry);
    entry.is_shadowed = true;
  }
  int by_vendor = 0;
  for (int i = 0; i < 2 * 258; ++i) {
    const VendorTicket ticket = enter(i % 2 == 0 ? call : other);
    if (ticket.is_answered) continue;
    dispatcher_.leave(ticket);
    ++by_vendor;
  }
  EXPECT_EQ(by_vendor, 4);
}

TEST_F(DispatcherTest, SaysWhenTheVendorHasTakenLong) {
  HostCall call(8, 8, 8);
  VendorTicket ticket = enter(call);
  dispatcher_.watch_for_worth(true);
  dispatcher_.leave(ticket);
  EXPECT_EQ(slow_path_.worth_tuning, 0) << "one call may be all there will ever be";
  ticket.start_ticks = 1;  // long ago
  dispatcher_.leave(ticket);
  EXPECT_EQ(slow_path_.worth_tuning, 1);
  dispatcher_.watch_for_worth(false);
  dispatcher_.leave(ticket);
  EXPECT_EQ(slow_path_.worth_tuning, 1);
}

TEST_F(DispatcherTest, TellsAlignedCallsFromOthersUnlessItIsToldNotTo) {
  alignas(64) static float memory[3 * 64];
  RawCall call = HostCall(8, 8, 8).raw();
  call.a = memory;
  call.b = memory + 64;
  call.c = memory + 128;
  RawCall aligned = call;
  dispatcher_.leave(dispatcher_.enter(aligned, site_));
  EXPECT_TRUE(call_traits::is_aligned(aligned.key.traits));
  Dispatcher ignoring(table_, slow_path_, {.ignores_alignment = true});
  RawCall any = call;
  ignoring.leave(ignoring.enter(any, site_));
  EXPECT_FALSE(call_traits::is_aligned(any.key.traits));
}

}  // namespace
}  // namespace triode::host
