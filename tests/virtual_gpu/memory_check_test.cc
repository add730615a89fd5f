// SPDX-License-Identifier: Apache-2.0
// What a kernel may not do, and in which scheduling mode it shows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/virtual_gpu/snippet.h"

namespace triode::vgpu {
namespace {

using ::testing::HasSubstr;

// The kind of fault a snippet ends with; kBadLaunch, which none of these can give, for none.
FaultKind fault_of(const std::string& lines, uint32_t threads = 32, uint64_t seed = 0) {
  const auto run = run_snippet(lines, threads, {1, 2, 3, 4, 5}, seed);
  EXPECT_TRUE(run.ok()) << run.status().to_string();
  return run.ok() && run->fault ? run->fault->kind : FaultKind::kBadLaunch;
}

constexpr FaultKind kNone = FaultKind::kBadLaunch;

TEST(GlobalMemory, MayBeReadToItsLastByteAndNoFurther) {
  EXPECT_EQ(fault_of("ld.global.u32 %r1, [%rd2+16];"), kNone);
  EXPECT_EQ(fault_of("ld.global.u32 %r1, [%rd2+20];"), FaultKind::kIllegalAddress);
  EXPECT_EQ(fault_of("ld.global.u8 %h1, [%rd2+-1];"), FaultKind::kIllegalAddress);
  EXPECT_EQ(fault_of("ld.global.u64 %rd3, [%rd2+16];"), FaultKind::kIllegalAddress);
}

TEST(GlobalMemory, CannotBeReachedFromAnotherAllocation) {
  EXPECT_EQ(fault_of("ld.global.u32 %r1, [%rd0+256];"), FaultKind::kIllegalAddress);
  EXPECT_EQ(fault_of("mov.b64 %rd3, 0; st.global.u32 [%rd3], 1;"), FaultKind::kIllegalAddress);
}

TEST(GlobalMemory, MustBeAligned) {
  EXPECT_EQ(fault_of("ld.global.u32 %r1, [%rd2+2];"), FaultKind::kMisalignedAddress);
  EXPECT_EQ(fault_of("ld.global.v2.u32 {%r1, %r2}, [%rd2+4];"), FaultKind::kMisalignedAddress);
}

TEST(GlobalMemory, IsNotTouchedByLanesThatAreMaskedOut) {
  EXPECT_EQ(fault_of("setp.eq.s32 %p1, %r0, 99; @%p1 ld.global.u32 %r1, [%rd2+999996];"), kNone);
}

TEST(Faults, NameTheBlockTheWarpAndTheLine) {
  const auto run = run_snippet("\nld.global.u32 %r1, [%rd2+20];", 64, {1, 2, 3, 4, 5});
  ASSERT_TRUE(run.ok() && run->fault);
  EXPECT_THAT(run->fault->message, HasSubstr("block 0,0,0, warp 0, ptx line 11"));
}

TEST(SharedMemory, EndsWhereItsVariablesEnd) {
  EXPECT_EQ(fault_of("st.shared.u32 [shared+1020], 0;"), kNone);
  EXPECT_EQ(fault_of("st.shared.u32 [shared+1024], 0;"), FaultKind::kIllegalAddress);
}

TEST(SharedMemory, MayNotBeReadWhileAnotherWarpWrites) {
  const std::string write = "setp.lt.u32 %p1, %r0, 32; @%p1 st.shared.u32 [shared], 1;";
  const std::string read = "@!%p1 ld.shared.u32 %r1, [shared];";
  for (const uint64_t seed : {0, 1, 2}) {
    EXPECT_EQ(fault_of(write + read, 64, seed), FaultKind::kRace);
    EXPECT_EQ(fault_of(write + "bar.sync 0;" + read, 64, seed), kNone);
  }
}

TEST(SharedMemory, MayBeWrittenBySeveralWarps) {
  EXPECT_EQ(fault_of("st.shared.u32 [shared], 1;", 64), kNone);
}

TEST(Parameters, EndWhereTheyEnd) {
  EXPECT_EQ(fault_of("ld.param.u64 %rd3, [in+8];"), FaultKind::kIllegalAddress);
}

TEST(Barriers, ThatNotAllThreadsReachAreADeadlock) {
  EXPECT_EQ(fault_of("setp.lt.u32 %p1, %r0, 32; @%p1 bar.sync 1, 64;", 64), FaultKind::kDeadlock);
}

TEST(Barriers, DoNotWaitForThreadsThatHaveEnded) {
  EXPECT_EQ(fault_of("setp.lt.u32 %p1, %r0, 32; @%p1 ret; bar.sync 0;", 64), kNone);
}

TEST(Loops, ThatDoNotEndTimeOut) {
  EXPECT_EQ(fault_of("again: bra again;"), FaultKind::kTimeout);
}

TEST(Divergence, RunsBothPathsAndJoinsThem) {
  const auto run = run_snippet(
      "setp.lt.u32 %p1, %r0, 7; @%p1 bra low; mov.b64 %rd1, 2; bra join;"
      "low: mov.b64 %rd1, 1; join: add.u64 %rd1, %rd1, 10; bar.sync 0;");
  ASSERT_TRUE(run.ok()) << run.status().to_string();
  ASSERT_FALSE(run->fault) << run->fault->message;
  EXPECT_EQ(run->out[6], 11u);
  EXPECT_EQ(run->out[7], 12u);
}

TEST(Divergence, IsNotAllowedWhereTheWholeWarpMustArrive) {
  EXPECT_EQ(fault_of("mov.u32 %r2, shared; setp.lt.u32 %p1, %r0, 7;"
                     "@%p1 ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r2];"),
            FaultKind::kBadInstruction);
}

// A copy of 4 bytes, whose result a thread reads back in %rd1.
std::string copy(const std::string& wait) {
  return "mad.lo.u32 %r3, %r0, 4, 0; mov.u32 %r2, shared; add.u32 %r2, %r2, %r3;"
         "cp.async.ca.shared.global [%r2], [%rd2], 4; cp.async.commit_group;" +
         wait + "ld.shared.u32 %r1, [%r2]; cvt.u64.u32 %rd1, %r1;";
}

TEST(AsyncCopies, AreThereAfterTheWait) {
  for (const uint64_t seed : {0, 1, 2, 3}) {
    const auto run = run_snippet(copy("cp.async.wait_group 0;"), 32, {42}, seed);
    ASSERT_TRUE(run.ok()) << run.status().to_string();
    EXPECT_EQ(run->out[5], 42u);
  }
}

TEST(AsyncCopies, AreNotThereBeforeTheWaitWhenInOrder) {
  const auto run = run_snippet(copy("cp.async.wait_group 1;"), 32, {42});
  ASSERT_TRUE(run.ok()) << run.status().to_string();
  EXPECT_EQ(run->out[5], 0xffffffffu);
}

TEST(AsyncCopies, LandEarlyOrLateAtRandom) {
  int early = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const auto run = run_snippet(copy("cp.async.wait_group 1;"), 32, {42}, seed);
    ASSERT_TRUE(run.ok()) << run.status().to_string();
    early += run->out[5] == 42u ? 1 : 0;
  }
  EXPECT_GT(early, 0);
  EXPECT_LT(early, 20);
}

TEST(AsyncCopies, OfNothingMayNameAnyAddressAndGiveZeros) {
  const auto run = run_snippet(
      "mov.u32 %r2, shared; mov.b64 %rd3, 1; cp.async.cg.shared.global [%r2], [%rd3], 16, 0;"
      "cp.async.wait_all; ld.shared.u32 %r1, [shared+12]; cvt.u64.u32 %rd1, %r1;");
  ASSERT_TRUE(run.ok()) << run.status().to_string();
  ASSERT_FALSE(run->fault) << run->fault->message;
  EXPECT_EQ(run->out[0], 0u);
}

TEST(AsyncCopies, MustBeAlignedAndInside) {
  const std::string to = "mov.u32 %r2, shared; ";
  EXPECT_EQ(fault_of(to + "cp.async.cg.shared.global [%r2], [%rd2+4], 16;"),
            FaultKind::kMisalignedAddress);
  EXPECT_EQ(fault_of(to + "cp.async.cg.shared.global [%r2], [%rd2+16], 16;"),
            FaultKind::kIllegalAddress);
  EXPECT_EQ(fault_of(to + "cp.async.cg.shared.global [%r2], [%rd2+16], 16, 4;"), kNone);
  EXPECT_EQ(fault_of(to + "cp.async.cg.shared.global [%r2+8], [%rd2], 16;"),
            FaultKind::kMisalignedAddress);
}

}  // namespace
}  // namespace triode::vgpu
