// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <string>

#include "runtime/tuner/meeting_place.h"
#include "tests/runtime/temporary_folder.h"
#include "tools/doctor/installation_checks.h"
#include "tools/doctor/machine_checks.h"

namespace triode::doctor_tool {
namespace {

using ::testing::HasSubstr;

const Finding& about(const Findings& findings, const std::string& subject) {
  for (const Finding& finding : findings) {
    if (finding.subject == subject) return finding;
  }
  ADD_FAILURE() << "nothing about " << subject;
  return findings.front();
}

TEST(MachineChecks, ASystemWithoutABlasIsToldHowToGetOne) {
  const std::array<std::string, 1> names = {"libthereisnone.so.7"};
  const Findings findings = check_blas(names);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].health, Health::kRemark);
  EXPECT_THAT(findings[0].fix, HasSubstr("libopenblas"));
}

TEST(MachineChecks, ALibraryWithoutMatmulsIsNoBlas) {
  const std::array<std::string, 1> names = {"libm.so.6"};
  EXPECT_EQ(check_blas(names)[0].health, Health::kRemark);
}

TEST(MachineChecks, ABlasIsListedWithItsSymbols) {
  const std::array<std::string, 1> names = {"libblas.so.3"};
  const Findings findings = check_blas(names);
  EXPECT_EQ(findings[0].health, Health::kGood);
  EXPECT_THAT(findings[0].text, HasSubstr("sgemm_"));
}

TEST(MachineChecks, GovernorAndLoadAreRead) {
  const TemporaryFolder root;
  root.write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
  root.write("proc/loadavg", "7.50 1 1 1/1 1\n");
  const Findings findings = check_quiet(root.path(), 2);
  EXPECT_EQ(about(findings, "clock").health, Health::kRemark);
  EXPECT_THAT(about(findings, "clock").fix, HasSubstr("performance"));
  EXPECT_EQ(about(findings, "load").health, Health::kRemark);
}

TEST(MachineChecks, AQuietMachineAtFullClockIsGood) {
  const TemporaryFolder root;
  root.write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
  root.write("proc/loadavg", "0.10 1 1 1/1 1\n");
  for (const Finding& finding : check_quiet(root.path(), 2)) {
    EXPECT_EQ(finding.health, Health::kGood) << finding.text;
  }
}

TEST(MachineChecks, LittleFreeMemoryIsARemark) {
  const TemporaryFolder root;
  root.write("proc/meminfo", "MemTotal: 8000000 kB\nMemFree: 1 kB\nMemAvailable: 204800 kB\n");
  const Findings findings = check_memory(root.path());
  EXPECT_EQ(findings[0].health, Health::kRemark);
  EXPECT_THAT(findings[0].text, HasSubstr("200.0 MiB free"));
  EXPECT_FALSE(findings[0].fix.empty());
}

TEST(MachineChecks, MuchFreeMemoryIsGoodAndNoneVisibleARemark) {
  const TemporaryFolder root;
  EXPECT_EQ(check_memory(root.path())[0].health, Health::kRemark);
  root.write("proc/meminfo", "MemAvailable: 8000000 kB\n");
  EXPECT_EQ(check_memory(root.path())[0].health, Health::kGood);
}

TEST(MachineChecks, NoGpuDriverIsARemark) {
  EXPECT_EQ(check_gpu_driver("libthereisnone.so.1")[0].health, Health::kRemark);
}

TEST(InstallationChecks, MissingFilesAreBad) {
  const TemporaryFolder prefix;
  const Findings findings = check_installation((prefix.path() / "bin").string());
  EXPECT_EQ(about(findings, "host library").health, Health::kBad);
  EXPECT_EQ(about(findings, "tuner program").health, Health::kBad);
}

TEST(InstallationChecks, ACacheThatIsNotThereYetIsFine) {
  const TemporaryFolder folder;
  EXPECT_TRUE(is_well(check_cache((folder.path() / "none").string())));
}

TEST(InstallationChecks, AFileInPlaceOfTheCacheIsBad) {
  const TemporaryFolder folder;
  folder.write("cache", "no database");
  const Findings findings = check_cache((folder.path() / "cache").string());
  EXPECT_FALSE(is_well(findings));
}

TEST(InstallationChecks, ACacheFolderThatCannotBeWrittenIsBad) {
  // Root may write everywhere but here.
  const Findings findings = check_cache("/proc/self/triode");
  EXPECT_EQ(about(findings, "cache folder").health, Health::kBad);
  EXPECT_THAT(about(findings, "cache folder").fix, HasSubstr("TRIODE_CACHE"));
}

TEST(InstallationChecks, NoTunerIsFine) {
  const TemporaryFolder folder;
  EXPECT_EQ(check_tuner(folder.path().string())[0].health, Health::kGood);
}

TEST(InstallationChecks, ASocketThatADeadTunerLeftMeansThatNoneRuns) {
  const TemporaryFolder folder;
  const auto place = tuner::find_meeting_place(folder.path().string());
  ASSERT_TRUE(place.ok());
  ASSERT_TRUE(tuner::listen_for_hosts(*place).ok());  // closed at once; its file stays
  ASSERT_EQ(::access(place->socket.c_str(), F_OK), 0);
  const Finding finding = check_tuner(folder.path().string())[0];
  EXPECT_EQ(finding.health, Health::kGood);
  EXPECT_THAT(finding.text, HasSubstr("none runs"));
  ::unlink(place->socket.c_str());
}

TEST(InstallationChecks, ATunerThatTakesCallsAndAnswersNoneIsBadAndNamesItsProcess) {
  const TemporaryFolder folder;
  const auto place = tuner::find_meeting_place(folder.path().string());
  ASSERT_TRUE(place.ok());
  const auto mute = tuner::listen_for_hosts(*place);
  ASSERT_TRUE(mute.ok());
  const Finding finding = check_tuner(folder.path().string(), std::chrono::milliseconds(20))[0];
  EXPECT_EQ(finding.health, Health::kBad);
  EXPECT_THAT(finding.text, HasSubstr("gives no answer"));
  EXPECT_THAT(finding.fix, HasSubstr("kill -9 " + std::to_string(getpid())));
  ::unlink(place->socket.c_str());
}

TEST(InstallationChecks, AnUnknownTorchIsARemarkWithTheKnownOne) {
  const TemporaryFolder folder;
  folder.write("python", "#!/bin/sh\necho 1.13.0\n");
  const std::string python = (folder.path() / "python").string();
  ASSERT_EQ(::chmod(python.c_str(), 0700), 0);
  const Findings findings = check_python(python);
  EXPECT_EQ(about(findings, "torch").health, Health::kRemark);
  EXPECT_THAT(about(findings, "torch").text, HasSubstr("1.13.0"));
  EXPECT_THAT(about(findings, "torch").fix, HasSubstr("torch==2.15"));
}

TEST(InstallationChecks, AKnownTorchIsGood) {
  const TemporaryFolder folder;
  folder.write("python", "#!/bin/sh\necho 2.15.0\n");
  const std::string python = (folder.path() / "python").string();
  ASSERT_EQ(::chmod(python.c_str(), 0700), 0);
  EXPECT_EQ(about(check_python(python), "torch").health, Health::kGood);
}

TEST(InstallationChecks, WithoutPythonOnlyARemark) {
  EXPECT_EQ(check_python("")[0].health, Health::kRemark);
  EXPECT_EQ(about(check_python("/nowhere/python"), "torch").health, Health::kRemark);
}

}  // namespace
}  // namespace triode::doctor_tool
