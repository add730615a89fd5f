// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/call_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace triode::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::uint64_t kEntry = 1000;
constexpr std::uint64_t kCaller = 50;  // where calls return to
const AddressRange kKernels[] = {{9000, 9100}};

// The top of the stack is the caller's everywhere: only that at the entry counts.
std::vector<CallSteps> traced(const std::vector<std::uint64_t>& addresses) {
  CallTrace trace(kEntry, kKernels);
  for (const std::uint64_t address : addresses) trace.about_to_execute(address, kCaller);
  return trace.calls();
}

TEST(CallTrace, SplitsACallAtTheKernel) {
  EXPECT_THAT(traced({48, kEntry, 1001, 1005, 9000, 9004, 1006, 1007, kCaller}),
              ElementsAre(CallSteps{3, 2, 2}));
}

TEST(CallTrace, CountsWhatIsCalledOnTheWay) {
  EXPECT_THAT(traced({kEntry, 3000, 3001, 1001, 9000, 1002, kCaller}),
              ElementsAre(CallSteps{4, 1, 1}));
}

TEST(CallTrace, KnowsAKernelThatReturnsToTheCaller) {
  EXPECT_THAT(traced({kEntry, 9000, 9001, kCaller}), ElementsAre(CallSteps{1, 2, 0}));
}

TEST(CallTrace, KeepsCallsApartAndWhatLiesBetweenThemOut) {
  EXPECT_THAT(traced({kEntry, 9000, kCaller, 51, 48, kEntry, 1001, 9000, kCaller, 51}),
              ElementsAre(CallSteps{1, 1, 0}, CallSteps{2, 1, 0}));
}

TEST(CallTrace, DoesNotCountACallThatHasNotReturned) {
  EXPECT_THAT(traced({kEntry, 1001, 9000, 1002}), IsEmpty());
}

TEST(GeneratedCode, IsWhatMayRunAndLiesInNoFile) {
  const auto ranges = generated_code(
      "00400000-00401000 r-xp 00000000 08:01 42  /usr/bin/program\n"
      "7f0000000000-7f0000001000 rw-p 00000000 00:00 0 \n"
      "7f0000001000-7f0000003000 r-xp 00000000 00:00 0 \n"
      "7f0000004000-7f0000005000 r-xs 00000000 00:01 7  /memfd:vmem (deleted)\n"
      "7fff00000000-7fff00001000 r-xp 00000000 00:00 0  [vdso]\n");
  ASSERT_THAT(ranges, SizeIs(2));
  EXPECT_EQ(ranges[0].begin, 0x7f0000001000u);
  EXPECT_EQ(ranges[0].end, 0x7f0000003000u);
  EXPECT_EQ(ranges[1].begin, 0x7f0000004000u);
}

TEST(CodeOfFiles, IsWhatMayRunOfThoseNamed) {
  constexpr std::string_view kNames[] = {"libcuda.so", "libcublas"};
  const auto ranges = code_of_files(
      "00400000-00401000 r-xp 00000000 08:01 42  /usr/bin/libcublas/program\n"
      "7f0000000000-7f0000001000 r--p 00000000 08:01 43 /gpu/libcuda.so.1\n"
      "7f0000001000-7f0000003000 r-xp 00000000 08:01 43 /gpu/libcuda.so.1\n"
      "7f0000004000-7f0000005000 r-xp 00000000 08:01 44 /gpu/libcublasLt.so.13\n"
      "7f0000006000-7f0000007000 r-xp 00000000 00:00 0 \n",
      kNames);
  ASSERT_THAT(ranges, SizeIs(2));
  EXPECT_EQ(ranges[0].begin, 0x7f0000001000u);
  EXPECT_EQ(ranges[1].begin, 0x7f0000004000u);
}

}  // namespace
}  // namespace triode::bench
