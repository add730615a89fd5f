// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/tuner_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "jit/x86/gemm_space.h"
#include "runtime/host/original_finder.h"
#include "runtime/host/vendor.h"
#include "runtime/host/vendor_name.h"
#include "tests/host/host_calls.h"
#include "tests/runtime/fake_device.h"

namespace triode::host {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using tuner::from_frame;
using tuner::to_frame;

// The test is the tuner: it answers at the other end of a socket pair.
class TunerClientTest : public ::testing::Test {
 protected:
  ~TunerClientTest() override {
    table_.for_each([](PlanEntry& entry) { delete entry.executable.load(); });
  }

  // What a tuner says first is there before the host comes.
  Result<FileDescriptor> meet() {
    ++meetings_;
    if (!unreachable_.ok()) return unreachable_;
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    tuner_ = std::make_unique<tuner::Connection>(FileDescriptor(ends[0]), 1 << 20);
    for (const tuner::Frame& frame : greeting_) EXPECT_TRUE(tuner_->send(frame).ok());
    if (is_mute_) tuner_.reset();
    return FileDescriptor(ends[1]);
  }

  void step() {
    client_.step([] { return false; });
  }
  // The next message that the host has sent.
  template <typename Message>
  Message received() {
    return from_frame<Message>(tuner_->receive_within(std::chrono::seconds(5)).value()).value();
  }
  bool has_received_nothing() { return !tuner_->receive().value().has_value(); }

  PlanEntry& add_entry(int64_t m, uint64_t calls, double each_ns) {
    RawCall call = HostCall(m, 8, 8).raw();
    call.key.traits |= call_traits::of_site(Symbol::k_cblas_sgemm, vendor_of_function(original_)) |
                       uint64_t{1} << call_traits::kThreads;
    PlanEntry* const entry =
        table_.add(call.key, PlanTable::hash_of(call.key), meaning_of(call.key), original_);
    CallCounter& counter = own_record().counters[entry->index];
    counter.by_vendor.calls = counter.by_vendor.timed = calls;
    counter.by_vendor.ticks = ticks_for(each_ns * static_cast<double>(calls));
    counter.by_us.calls = counter.by_us.timed = counter.by_us.ticks = 0;
    return *entry;
  }
  uint64_t ticks_for(double ns) const {
    return static_cast<uint64_t>(ns / ticks_.nanoseconds_per_tick());
  }

  // Calls of these plans take ten times as long as the vendor's, which is believed after so many
  // stretches.
  void slow_down(const std::vector<PlanEntry*>& entries, int stretches = 4) {
    for (int stretch = 0; stretch < stretches; ++stretch) {
      for (const PlanEntry* const entry : entries) {
        CallCounter& counter = own_record().counters[entry->index];
        for (CallCounter::Side* const side : {&counter.by_us, &counter.by_vendor}) {
          side->calls += 4;
          side->timed += 4;
          side->ticks += ticks_for(4 * (side == &counter.by_us ? 1e7 : 1e6));
        }
      }
      step();
    }
  }
  // What the host sends fails, as when a tuner has just ended.
  void stop_listening() { EXPECT_EQ(shutdown(tuner_->descriptor(), SHUT_RD), 0); }

  tuner::SentPlan plan_for(const PlanEntry& entry) {
    const Space space = std::move(maker_->device().enumerate(entry.problem)).take();
    const Config config = x86::promising_configs(space, entry.problem).front();
    return {to_string(entry.problem),
            space.to_string(config),
            vendor_name(entry.key),
            build_first(entry)->digest(),
            1.5,
            150,
            100};
  }
  std::string remark_of(const PlanEntry& entry) const {
    return published_.find(entry.index).value_or(PublishedPlan{}).remark;
  }

  void* original_ = reinterpret_cast<void*>(&own_record);
  PlanTable& table_ = *PlanTable::create();
  std::unique_ptr<CpuPlanMaker> maker_ = std::move(CpuPlanMaker::create()).take();
  PublishedPlans published_;
  TickClock ticks_;
  FakeClock clock_;
  int meetings_ = 0;
  Status unreachable_;
  bool is_mute_ = false;
  std::vector<tuner::Frame> greeting_ = {to_frame(tuner::Welcome{"1", 1}),
                                         to_frame(tuner::Plans{})};
  std::unique_ptr<tuner::Connection> tuner_;
  PlanPublisher::Parts parts() { return {table_, *maker_, published_, ticks_}; }
  TunerClient::Options options(bool trusts_model) {
    return {.clock = clock_,
            .reach = [this](const std::function<bool()>&) { return meet(); },
            .trusts_model = trusts_model};
  }
  TunerClient client_{parts(), options(false)};
};

// A program that trusts the model.
class TrustingClientTest : public TunerClientTest {
 protected:
  TrustingClientTest() {
    step();
    EXPECT_TRUE(tuner_->send(to_frame(tuner::Verdict{entry_.index, {untimed_}, "why"})).ok());
    step();
  }
  void step() {
    trusting_.step([] { return false; });
  }
  static tuner::SentPlan without_times(tuner::SentPlan plan) {
    plan.speedup = plan.vendor_ns = plan.plan_ns = 0;
    return plan;
  }

  PlanEntry& entry_ = add_entry(3, 100, 1e6);
  const tuner::SentPlan untimed_ = without_times(plan_for(entry_));
  TunerClient trusting_{parts(), options(true)};
};

TEST_F(TunerClientTest, SaysWhoItIsAndReportsWhatCostsTime) {
  const PlanEntry& entry = add_entry(3, 100, 1e6);
  add_entry(4, 100, 10);
  step();
  EXPECT_EQ(received<tuner::Hello>().target, maker_->device().target());
  const tuner::Reports reports = received<tuner::Reports>();
  ASSERT_THAT(reports.reports, SizeIs(1));
  EXPECT_EQ(reports.reports[0].id, entry.index);
  EXPECT_EQ(reports.reports[0].call.symbol, "cblas_sgemm");
  EXPECT_EQ(reports.reports[0].call.vendor(), vendor_name(entry.key));
  EXPECT_EQ(reports.reports[0].call.key.m, 3);
  EXPECT_EQ(call_traits::vendor(reports.reports[0].call.key.traits), 0);
}

// Of a library that the program may have closed meanwhile: nobody asks it.
TEST_F(TunerClientTest, TellsThreadsOfTheVendorAndOfThePlanApart) {
  PlanEntry& entry = add_entry(3, 100, 1e6);
  entry.key.traits = call_traits::with_threads(entry.key.traits, 8);
  entry.problem.threads = 2;
  step();
  received<tuner::Hello>();
  const tuner::VendorCall call = received<tuner::Reports>().reports.at(0).call;
  EXPECT_EQ(call.threads, 8);
  EXPECT_EQ(call_traits::threads(call.key.traits), 2);
}

TEST_F(TunerClientTest, ReportsACallOnceAndItsFiguresNowAndThen) {
  add_entry(3, 100, 1e6);
  step();
  received<tuner::Hello>();
  received<tuner::Reports>();
  step();
  EXPECT_TRUE(has_received_nothing());
  clock_.advance(std::chrono::seconds(2));
  step();
  EXPECT_THAT(received<tuner::Reports>().reports, SizeIs(1));
}

TEST_F(TunerClientTest, PublishesThePlanThatComes) {
  PlanEntry& entry = add_entry(3, 100, 1e6);
  step();
  EXPECT_EQ(entry.executable.load(), nullptr);
  ASSERT_TRUE(tuner_->send(to_frame(tuner::Verdict{entry.index, {plan_for(entry)}, ""})).ok());
  step();
  EXPECT_NE(entry.executable.load(), nullptr);
  EXPECT_EQ(published_.find(entry.index)->state, PlanState::kPlanned);
}

TEST_F(TunerClientTest, PublishesAKnownPlanAtOnceWithoutAReport) {
  PlanEntry& entry = add_entry(3, 100, 1e6);
  greeting_[1] = to_frame(tuner::Plans{{plan_for(entry)}});
  step();
  EXPECT_NE(entry.executable.load(), nullptr);
  received<tuner::Hello>();
  EXPECT_TRUE(has_received_nothing());
}

TEST_F(TunerClientTest, TakesKnownPlansFromSeveralMessages) {
  PlanEntry& entry = add_entry(3, 100, 1e6);
  PlanEntry& other = add_entry(4, 100, 1e6);
  greeting_[1] = to_frame(tuner::Plans{{plan_for(entry)}, true});
  greeting_.push_back(to_frame(tuner::Plans{{plan_for(other)}}));
  step();
  EXPECT_NE(entry.executable.load(), nullptr);
  EXPECT_NE(other.executable.load(), nullptr);
}

TEST_F(TunerClientTest, KeepsTheVendorWhereTheCodeIsAnother) {
  PlanEntry& entry = add_entry(3, 100, 1e6);
  step();
  tuner::SentPlan plan = plan_for(entry);
  plan.code_digest += 1;
  ASSERT_TRUE(tuner_->send(to_frame(tuner::Verdict{entry.index, {plan}, ""})).ok());
  step();
  EXPECT_EQ(entry.executable.load(), nullptr);
  EXPECT_THAT(remark_of(entry), HasSubstr("not the code that was measured"));
}

TEST_F(TunerClientTest, KeepsTheVendorWhereThePlanBeatAnother) {
  PlanEntry& entry = add_entry(3, 100, 1e6);
  step();
  tuner::SentPlan plan = plan_for(entry);
  plan.vendor = "libother.so 1 cblas_sgemm";
  ASSERT_TRUE(tuner_->send(to_frame(tuner::Verdict{entry.index, {plan}, ""})).ok());
  step();
  EXPECT_EQ(entry.executable.load(), nullptr);
}

TEST_F(TunerClientTest, NotesWhyTheVendorStays) {
  PlanEntry& entry = add_entry(3, 100, 1e6);
  step();
  ASSERT_TRUE(tuner_->send(to_frame(tuner::Verdict{entry.index, {}, "too large"})).ok());
  step();
  EXPECT_EQ(remark_of(entry), "too large");
  EXPECT_EQ(published_.find(entry.index)->state, PlanState::kVendorStays);
}

TEST_F(TunerClientTest, WithdrawsASlowPlanAndTakesABetterOneLater) {
  PlanEntry& entry = add_entry(3, 100, 1e6);
  greeting_[1] = to_frame(tuner::Plans{{plan_for(entry)}});
  step();
  received<tuner::Hello>();
  slow_down({&entry});
  EXPECT_EQ(entry.executable.load(), nullptr);
  const tuner::Withdrawal withdrawal = received<tuner::Withdrawal>();
  EXPECT_EQ(withdrawal.id, entry.index);
  EXPECT_EQ(withdrawal.code_digest, plan_for(entry).code_digest);
  EXPECT_NEAR(withdrawal.plan_ns / withdrawal.vendor_ns, 10, 0.1);
  ASSERT_TRUE(tuner_->send(to_frame(tuner::Verdict{entry.index, {plan_for(entry)}, ""})).ok());
  step();
  EXPECT_NE(entry.executable.load(), nullptr);
  step();  // what the first plan took is not held against the second
  EXPECT_NE(entry.executable.load(), nullptr);
}

TEST_F(TunerClientTest, TellsTheNextTunerOfPlansWithdrawnWhileThereWasNone) {
  PlanEntry& entry = add_entry(3, 100, 1e6);
  PlanEntry& other = add_entry(4, 100, 1e6);
  greeting_[1] = to_frame(tuner::Plans{{plan_for(entry), plan_for(other)}});
  step();
  tuner_.reset();
  unreachable_ = unavailable("nobody");
  slow_down({&entry, &other});
  EXPECT_EQ(entry.executable.load(), nullptr);
  unreachable_ = Status();
  clock_.advance(std::chrono::seconds(2));
  step();
  received<tuner::Hello>();
  EXPECT_EQ(received<tuner::Withdrawal>().id, entry.index);
  EXPECT_EQ(received<tuner::Withdrawal>().id, other.index);
  step();
  EXPECT_TRUE(has_received_nothing()) << "once is enough";
  EXPECT_EQ(entry.executable.load(), nullptr);
}

TEST_F(TunerClientTest, TellsTheNextTunerOfWithdrawalsThatCouldNotBeSent) {
  PlanEntry& entry = add_entry(3, 100, 1e6);
  PlanEntry& other = add_entry(4, 100, 1e6);
  greeting_[1] = to_frame(tuner::Plans{{plan_for(entry), plan_for(other)}});
  step();
  received<tuner::Hello>();
  slow_down({&entry, &other}, 3);
  stop_listening();
  slow_down({&entry, &other}, 1);
  EXPECT_EQ(entry.executable.load(), nullptr);
  clock_.advance(std::chrono::seconds(2));
  step();
  received<tuner::Hello>();
  EXPECT_EQ(received<tuner::Withdrawal>().id, entry.index);
  EXPECT_EQ(received<tuner::Withdrawal>().id, other.index);
}

TEST_F(TunerClientTest, LooksForALostTunerAgainLessAndLessOften) {
  add_entry(3, 100, 1e6);
  step();
  EXPECT_EQ(meetings_, 1);
  tuner_.reset();
  unreachable_ = unavailable("nobody");
  step();
  step();
  EXPECT_EQ(meetings_, 1);
  clock_.advance(std::chrono::seconds(1));
  step();
  EXPECT_EQ(meetings_, 2);
  clock_.advance(std::chrono::seconds(1));
  step();
  EXPECT_EQ(meetings_, 2);
  unreachable_ = Status();
  clock_.advance(std::chrono::seconds(1));
  step();
  EXPECT_EQ(meetings_, 3);
  received<tuner::Hello>();
  EXPECT_THAT(received<tuner::Reports>().reports, SizeIs(1));
}

TEST_F(TunerClientTest, GivesUpATunerOfAnotherVersion) {
  add_entry(3, 100, 1e6);
  greeting_[0].version = 9;
  step();
  clock_.advance(std::chrono::hours(1));
  step();
  EXPECT_EQ(meetings_, 1);
}

TEST_F(TunerClientTest, GivesUpATunerThatRefuses) {
  add_entry(3, 100, 1e6);
  greeting_ = {to_frame(tuner::Refusal{"not you"})};
  step();
  clock_.advance(std::chrono::hours(1));
  step();
  EXPECT_EQ(meetings_, 1);
}

TEST_F(TunerClientTest, OutlivesATunerThatDiesWhileItGreets) {
  add_entry(3, 100, 1e6);
  greeting_.resize(1);
  is_mute_ = true;
  step();
  is_mute_ = false;
  greeting_.push_back(to_frame(tuner::Plans{}));
  clock_.advance(std::chrono::seconds(2));
  step();
  EXPECT_EQ(meetings_, 2);
  received<tuner::Hello>();
}

TEST_F(TunerClientTest, DropsATunerThatSendsNonsense) {
  PlanEntry& entry = add_entry(3, 100, 1e6);
  step();
  ASSERT_TRUE(tuner_->send({tuner::kProtocolVersion, 6, "nonsense"}).ok());
  step();
  EXPECT_EQ(entry.executable.load(), nullptr);
  clock_.advance(std::chrono::seconds(2));
  step();
  EXPECT_EQ(meetings_, 2);
}

TEST_F(TunerClientTest, TellsWhatSettledCallsCostWhenThatHasChanged) {
  PlanEntry& entry = add_entry(3, 100, 1e6);
  greeting_[1] = to_frame(tuner::Plans{{plan_for(entry)}});
  step();
  received<tuner::Hello>();
  clock_.advance(std::chrono::seconds(2));
  CallCounter::Side& ours = own_record().counters[entry.index].by_us;
  ours.calls = ours.timed = 7;
  ours.ticks = ticks_for(7e6);
  step();
  const tuner::Reports told = received<tuner::Reports>();
  ASSERT_THAT(told.reports, SizeIs(1));
  EXPECT_FALSE(told.reports[0].wants_plan);
  EXPECT_EQ(told.reports[0].use.vendor_calls, 100u);
  EXPECT_EQ(told.reports[0].use.plan_calls, 7u);
  EXPECT_NEAR(told.reports[0].use.plan_ns, 7e6, 1e4);
  clock_.advance(std::chrono::seconds(2));
  step();
  EXPECT_TRUE(has_received_nothing());
}

TEST_F(TunerClientTest, TellsOfManySettledCallsInTurns) {
  std::vector<tuner::SentPlan> plans;
  for (int64_t m = 1; m <= 130; ++m) plans.push_back(plan_for(add_entry(m, 100, 1e6)));
  greeting_[1] = to_frame(tuner::Plans{plans});
  step();
  received<tuner::Hello>();
  clock_.advance(std::chrono::seconds(2));
  step();
  EXPECT_THAT(received<tuner::Reports>().reports, SizeIs(128));
  clock_.advance(std::chrono::seconds(2));
  step();
  EXPECT_THAT(received<tuner::Reports>().reports, SizeIs(2));
}

TEST_F(TunerClientTest, KeepsTheVendorWhereAPlanWasNotTimed) {
  PlanEntry& entry = add_entry(3, 100, 1e6);
  step();
  EXPECT_FALSE(received<tuner::Hello>().trusts_model);
  tuner::SentPlan plan = plan_for(entry);
  plan.speedup = 0;
  ASSERT_TRUE(tuner_->send(to_frame(tuner::Verdict{entry.index, {plan}, ""})).ok());
  step();
  EXPECT_EQ(entry.executable.load(), nullptr);
}

TEST_F(TrustingClientTest, PublishesWhatWasNotTimedAndGoesOnAsking) {
  EXPECT_NE(entry_.executable.load(), nullptr);
  EXPECT_EQ(published_.find(entry_.index)->speedup, 0);
  EXPECT_EQ(remark_of(entry_), "why");
  EXPECT_TRUE(received<tuner::Hello>().trusts_model);
  received<tuner::Reports>();
  clock_.advance(std::chrono::seconds(2));
  step();
  const tuner::Reports again = received<tuner::Reports>();
  ASSERT_THAT(again.reports, SizeIs(1));
  EXPECT_TRUE(again.reports[0].wants_plan);
}

TEST_F(TrustingClientTest, TakesThePlanThatWonInstead) {
  const Executable* const before = entry_.executable.load();
  ASSERT_TRUE(tuner_->send(to_frame(tuner::Verdict{entry_.index, {plan_for(entry_)}, ""})).ok());
  step();
  EXPECT_NE(entry_.executable.load(), nullptr);
  EXPECT_NE(entry_.executable.load(), before);
  EXPECT_EQ(published_.find(entry_.index)->speedup, 1.5);
}

TEST_F(TrustingClientTest, GoesBackToTheVendorIfNothingWon) {
  ASSERT_TRUE(tuner_->send(to_frame(tuner::Verdict{entry_.index, {}, "nothing faster"})).ok());
  step();
  EXPECT_EQ(entry_.executable.load(), nullptr);
  EXPECT_FALSE(entry_.is_shadowed.load());
  EXPECT_EQ(published_.find(entry_.index)->state, PlanState::kVendorStays);
}

TEST_F(TunerClientTest, IgnoresAVerdictOnWhatItNeverReported) {
  PlanEntry& entry = add_entry(3, 100, 10);
  add_entry(4, 100, 1e6);
  step();
  ASSERT_TRUE(tuner_->send(to_frame(tuner::Verdict{entry.index, {plan_for(entry)}, ""})).ok());
  step();
  EXPECT_EQ(entry.executable.load(), nullptr);
}

}  // namespace
}  // namespace triode::host
