// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/pace.h"

#include <gtest/gtest.h>

#include <chrono>

#include "tests/runtime/temporary_folder.h"

namespace triode::tuner {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

TEST(Pace, TakesNoRestWhereACoreIsFree) {
  EXPECT_EQ(rest_after(milliseconds(100), 1.0, {}), nanoseconds(0));
}

TEST(Pace, TakesTheShareThatIsFree) {
  EXPECT_EQ(rest_after(milliseconds(100), 0.5, {}), milliseconds(100));
}

TEST(Pace, TakesATwentiethOfACoreHoweverBusyTheMachineIs) {
  EXPECT_EQ(rest_after(milliseconds(100), 0.0, {}), milliseconds(1900));
}

TEST(MachineLoad, SeesWhatOthersLeaveBetweenTwoLooks) {
  const TemporaryFolder folder;
  MachineLoad load((folder.path() / "stat").string());
  folder.write("stat", "cpu 100 0 100 800 0 0 0 0 0 0\ncpu0 1 1\ncpu1 1 1\nintr 5\n");
  (void)load.free_cores(0);
  // 100 more ticks: 75 of them idle or waiting for a disk.
  folder.write("stat", "cpu 125 0 100 850 25 0 0 0 0 0\ncpu0 1 1\ncpu1 1 1\nintr 5\n");
  EXPECT_DOUBLE_EQ(load.free_cores(0), 1.5);
}

TEST(MachineLoad, CountsItsOwnUseAsFree) {
  const TemporaryFolder folder;
  MachineLoad load((folder.path() / "stat").string());
  folder.write("stat", "cpu 0 0 0 0 0 0 0 0\ncpu0 1\ncpu1 1\n");
  (void)load.free_cores(0);
  folder.write("stat", "cpu 100 0 0 0 0 0 0 0\ncpu0 1\ncpu1 1\n");
  EXPECT_DOUBLE_EQ(load.free_cores(1), 1);
}

TEST(MachineLoad, SeesABusyMachineWhereItCannotLook) {
  MachineLoad load("/nowhere/stat");
  EXPECT_EQ(load.free_cores(1), 0);
}

}  // namespace
}  // namespace triode::tuner
