// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cpu_target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "jit/x86/kernel.h"
#include "tests/runtime/temporary_folder.h"

namespace triode {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using x86::IsaId;

constexpr const char* kCores = "sys/devices/system/cpu";

void write_cache(const TemporaryFolder& root, const char* core, const char* index,
                 const char* level, const char* type, const char* size) {
  const std::filesystem::path folder = std::filesystem::path(kCores) / core / "cache" / index;
  root.write(folder / "level", level);
  root.write(folder / "type", type);
  root.write(folder / "size", size);
}

TEST(CacheSizes, ComeFromSysfs) {
  const TemporaryFolder root;
  write_cache(root, "cpu0", "index0", "1", "Data", "48K");
  write_cache(root, "cpu0", "index1", "1", "Instruction", "32K");
  write_cache(root, "cpu0", "index2", "2", "Unified", "2048K");
  write_cache(root, "cpu0", "index3", "3", "Unified", "260M");
  const CacheSizes sizes = read_cache_sizes(root.path());
  EXPECT_EQ(sizes.l1_bytes, 48 << 10);
  EXPECT_EQ(sizes.l2_bytes, 2 << 20);
  EXPECT_EQ(sizes.l3_bytes, 260 << 20);
}

TEST(ProcessorName, TellsGenerationsOfOneNameApart) {
  const TemporaryFolder root;
  root.write("proc/cpuinfo",
             "processor\t: 0\ncpu family\t: 6\nmodel\t\t: 207\nmodel name\t: Xeon | fast\n"
             "stepping\t: 2\n\nprocessor\t: 1\nmodel name\t: other\n");
  EXPECT_EQ(read_processor_name(root.path()), "Xeon / fast (6-207-2)");
}

TEST(ProcessorName, IsThereWithoutCpuinfo) {
  const TemporaryFolder root;
  EXPECT_EQ(read_processor_name(root.path()), "unknown x86-64");
}

TEST(CpuTarget, DescribesThisMachine) {
  const Target target = detect_cpu_target(x86::runnable_isas(), 2);
  EXPECT_THAT(target.device, Not(HasSubstr("unknown")));
  EXPECT_EQ(target.toolchain, x86::toolchain());
  EXPECT_EQ(target.driver, "");
  EXPECT_EQ(target.cores, 2);
  EXPECT_GE(target.l1_bytes, 8 << 10);
  EXPECT_GE(target.l2_bytes, target.l1_bytes);
}

TEST(CpuTarget, IsNamedByItsWidestIsa) {
  EXPECT_EQ(detect_cpu_target(std::array{IsaId::kAvx2}, 1).isa, "avx2");
  EXPECT_EQ(detect_cpu_target(std::array{IsaId::kAvx2, IsaId::kAvx512, IsaId::kAvx512Ymm}, 1).isa,
            "avx512");
  EXPECT_EQ(detect_cpu_target({}, 1).isa, "none");
}

TEST(CpuTarget, IsTheSameEachTime) {
  EXPECT_EQ(detect_cpu_target(x86::runnable_isas(), 1), detect_cpu_target(x86::runnable_isas(), 1));
}

TEST(CpuTarget, HasTheCachesOfTheFirstCoreOnlineWhereCoresDiffer) {
  const TemporaryFolder root;
  root.write(std::filesystem::path(kCores) / "cpu0/online", "0");
  write_cache(root, "cpu1", "index0", "1", "Data", "48K");
  write_cache(root, "cpu1", "index2", "2", "Unified", "2048K");
  write_cache(root, "cpu2", "index0", "1", "Data", "32K");
  write_cache(root, "cpu2", "index2", "2", "Unified", "4096K");
  write_cache(root, "cpu10", "index0", "1", "Data", "64K");
  const Target target = detect_cpu_target(x86::runnable_isas(), 1, root.path());
  EXPECT_EQ(target.l1_bytes, 48 << 10);
  EXPECT_EQ(target.l2_bytes, 2 << 20);
}

}  // namespace
}  // namespace triode
