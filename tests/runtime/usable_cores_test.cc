// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/usable_cores.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <optional>

#include "tests/runtime/temporary_folder.h"

namespace triode {
namespace {

TEST(UsableCores, KeepsToTheAffinityMask) {
  cpu_set_t mask;
  ASSERT_EQ(sched_getaffinity(0, sizeof mask, &mask), 0);
  EXPECT_GE(usable_cores(), 1);
  EXPECT_LE(usable_cores(), CPU_COUNT(&mask));
}

TEST(CgroupCoreLimit, IsNoneWithoutCgroups) {
  const TemporaryFolder root;
  EXPECT_EQ(cgroup_core_limit(root.path()), std::nullopt);
}

TEST(CgroupCoreLimit, ReadsVersion2) {
  const TemporaryFolder root;
  root.write("proc/self/cgroup", "0::/user/job\n");
  root.write("sys/fs/cgroup/user/job/cpu.max", "250000 100000\n");
  EXPECT_EQ(cgroup_core_limit(root.path()), 2.5);
}

TEST(CgroupCoreLimit, TakesTheTightestOfTheGroupsThatHoldIt) {
  const TemporaryFolder root;
  root.write("proc/self/cgroup", "0::/user/job\n");
  root.write("sys/fs/cgroup/user/job/cpu.max", "max 100000\n");
  root.write("sys/fs/cgroup/user/cpu.max", "300000 100000\n");
  root.write("sys/fs/cgroup/cpu.max", "800000 100000\n");
  EXPECT_EQ(cgroup_core_limit(root.path()), 3);
}

TEST(CgroupCoreLimit, ReadsVersion1) {
  const TemporaryFolder root;
  root.write("proc/self/cgroup", "5:memory:/x\n4:cpu,cpuacct:/box\n");
  root.write("sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_quota_us", "150000\n");
  root.write("sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cgroup_core_limit(root.path()), 1.5);
}

TEST(CgroupCoreLimit, TakesMinusOneForNoLimit) {
  const TemporaryFolder root;
  root.write("proc/self/cgroup", "1:cpu:/\n");
  root.write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  root.write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cgroup_core_limit(root.path()), std::nullopt);
}

TEST(CgroupCoreLimit, PassesOverAPathTheContainerDoesNotShow) {
  const TemporaryFolder root;
  root.write("proc/self/cgroup", "0::/docker/0123\n");
  root.write("sys/fs/cgroup/cpu.max", "400000 100000\n");
  EXPECT_EQ(cgroup_core_limit(root.path()), 4);
}

TEST(CgroupCoreLimit, PassesOverLinesThatMakeNoSense) {
  const TemporaryFolder root;
  root.write("proc/self/cgroup", "nonsense\n::\n0:\n");
  EXPECT_EQ(cgroup_core_limit(root.path()), std::nullopt);
}

}  // namespace
}  // namespace triode
