// SPDX-License-Identifier: Apache-2.0
#include "tools/run/program_file.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <vector>

#include "tests/core/status_matchers.h"
#include "tests/runtime/temporary_folder.h"

namespace triode::run {
namespace {

using ::testing::HasSubstr;

class ProgramFile : public ::testing::Test {
 protected:
  std::string add_file(const std::string& name, mode_t mode, std::string_view text = "") const {
    folder_.write(name, text);
    chmod(path(name).c_str(), mode);
    return path(name);
  }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

 private:
  TemporaryFolder folder_;
};

TEST_F(ProgramFile, IsFoundInTheFirstFolderThatHoldsIt) {
  add_file("b/tool", 0755);
  add_file("c/tool", 0755);
  const std::string search = path("a") + ":" + path("b") + ":" + path("c");
  EXPECT_EQ(find_program_file("tool", search).value(), path("b/tool"));
}

TEST_F(ProgramFile, PathWithASlashIsNotSearched) {
  add_file("a/tool", 0755);
  EXPECT_EQ(find_program_file(path("a/tool"), "").value(), path("a/tool"));
  EXPECT_THAT(find_program_file("./no-such-tool", path("a")),
              FailsWith(StatusCode::kNotFound, HasSubstr("./no-such-tool")));
}

TEST_F(ProgramFile, EmptyEntryIsTheCurrentFolder) {
  const std::filesystem::path before = std::filesystem::current_path();
  add_file("tool", 0755);
  std::filesystem::current_path(path(""));
  const auto last = find_program_file("tool", "/nonexistent:");
  const auto only = find_program_file("tool", "");
  std::filesystem::current_path(before);
  EXPECT_EQ(last.value(), "./tool");
  EXPECT_EQ(only.value(), "./tool");
}

TEST_F(ProgramFile, IsFoundInTheDefaultFoldersWithoutPath) {
  EXPECT_EQ(find_program_file("sh", std::nullopt).value(), "/bin/sh");
}

TEST_F(ProgramFile, SearchPassesOverWhatCannotBeExecuted) {
  add_file("a/tool", 0644);
  add_file("b/tool", 0755);
  EXPECT_EQ(find_program_file("tool", path("a") + ":" + path("b")).value(), path("b/tool"));
}

TEST_F(ProgramFile, NotExecutableIsSaid) {
  add_file("a/tool", 0644);
  EXPECT_THAT(find_program_file("tool", path("a")),
              FailsWith(StatusCode::kUnsupported, HasSubstr(path("a/tool"))));
  EXPECT_THAT(find_program_file(path("a/tool"), ""),
              FailsWith(StatusCode::kUnsupported, HasSubstr("not executable")));
  EXPECT_THAT(find_program_file(path("a"), ""),
              FailsWith(StatusCode::kUnsupported, HasSubstr("it is a folder")));
}

TEST_F(ProgramFile, FolderOnTheWayIsNoProgram) {
  std::filesystem::create_directories(path("a/tool"));
  EXPECT_THAT(find_program_file("tool", path("a")),
              FailsWith(StatusCode::kNotFound, HasSubstr("'tool'")));
}

TEST_F(ProgramFile, EmptyNameIsNotFound) {
  EXPECT_THAT(find_program_file("", path("")), FailsWith(StatusCode::kNotFound, HasSubstr("''")));
}

// The head of an ELF file with segments of these types.
std::string elf_file(unsigned char elf_class, const std::vector<Elf64_Word>& segments) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = elf_class;
  header.e_phoff = sizeof header;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = static_cast<Elf64_Half>(segments.size());
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  for (const Elf64_Word type : segments) {
    Elf64_Phdr segment{};
    segment.p_type = type;
    bytes.append(reinterpret_cast<const char*>(&segment), sizeof segment);
  }
  return bytes;
}

constexpr Identity kNobody = {.user = 65534, .group = 65534};

TEST_F(ProgramFile, DynamicProgramHasNoObstacle) {
  const std::string file = add_file("tool", 0755, elf_file(ELFCLASS64, {PT_LOAD, PT_INTERP}));
  EXPECT_EQ(obstacle_to_preload(file, kNobody), std::nullopt);
  EXPECT_EQ(obstacle_to_preload("/proc/self/exe", kNobody), std::nullopt);
}

TEST_F(ProgramFile, StaticProgramIsAnObstacle) {
  const std::string file = add_file("tool", 0755, elf_file(ELFCLASS64, {PT_LOAD, PT_GNU_STACK}));
  EXPECT_EQ(obstacle_to_preload(file, kNobody), "is statically linked");
}

TEST_F(ProgramFile, Program32BitIsAnObstacle) {
  const std::string file = add_file("tool", 0755, elf_file(ELFCLASS32, {PT_INTERP}));
  EXPECT_EQ(obstacle_to_preload(file, kNobody), "is a 32-bit program");
}

TEST_F(ProgramFile, WhatDoesNotSayHasNoObstacle) {
  EXPECT_EQ(obstacle_to_preload(add_file("script", 0755, "#!/bin/sh\n"), kNobody), std::nullopt);
  EXPECT_EQ(obstacle_to_preload(add_file("empty", 0755), kNobody), std::nullopt);
  EXPECT_EQ(obstacle_to_preload(path("missing"), kNobody), std::nullopt);
  const std::string whole = elf_file(ELFCLASS64, {PT_LOAD, PT_LOAD});
  EXPECT_EQ(obstacle_to_preload(add_file("cut", 0755, whole.substr(0, whole.size() - 1)), kNobody),
            std::nullopt);
}

TEST_F(ProgramFile, OtherRightsAreAnObstacle) {
  const Identity owner = {.user = getuid(), .group = getgid()};
  const Identity other = {.user = getuid() + 1, .group = getgid() + 1};
  for (const mode_t mode : {04755, 02755}) {
    const std::string file = add_file("tool", mode, elf_file(ELFCLASS64, {PT_INTERP}));
    EXPECT_EQ(obstacle_to_preload(file, other), "runs with other rights (setuid or setgid)");
    EXPECT_EQ(obstacle_to_preload(file, owner), std::nullopt);
  }
}

TEST_F(ProgramFile, SetgidWithoutTheGroupsExecuteBitGivesNoRights) {
  const std::string file = add_file("tool", 02745, elf_file(ELFCLASS64, {PT_INTERP}));
  EXPECT_EQ(obstacle_to_preload(file, kNobody), std::nullopt);
}

TEST_F(ProgramFile, ScriptGetsNoRights) {
  const Identity other = {.user = getuid() + 1, .group = getgid() + 1};
  EXPECT_EQ(obstacle_to_preload(add_file("script", 04755, "#!/bin/sh\n"), other), std::nullopt);
}

}  // namespace
}  // namespace triode::run
