// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/subcommands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace triode::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Subcommands : public ::testing::Test {
 protected:
  Subcommands() {
    std::string pattern = ::testing::TempDir() + "subcommandsXXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  ~Subcommands() override { std::filesystem::remove_all(folder_); }

  void add_file(const std::string& folder, const std::string& name, mode_t mode) const {
    std::filesystem::create_directories(path(folder));
    std::ofstream(path(folder) + "/" + name) << "#!/bin/sh\n";
    chmod((path(folder) + "/" + name).c_str(), mode);
  }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }

 private:
  std::string folder_;
};

TEST_F(Subcommands, FindsProgramInFirstFolderThatHoldsIt) {
  add_file("a", "triode-top", 0755);
  add_file("b", "triode-bench", 0755);
  add_file("c", "triode-bench", 0755);
  EXPECT_EQ(find_program("bench", {path("a"), path("b"), path("c")}), path("b/triode-bench"));
}

TEST_F(Subcommands, DoesNotFindWhatCannotBeRun) {
  add_file("a", "triode-bench", 0644);
  std::filesystem::create_directories(path("b/triode-bench"));
  EXPECT_EQ(find_program("bench", {path("a"), path("b"), path("missing")}), std::nullopt);
}

TEST_F(Subcommands, ListsEachCommandOnceAndSorted) {
  add_file("a", "triode-top", 0755);
  add_file("a", "triode", 0755);
  add_file("a", "triode-notes.txt", 0644);
  add_file("b", "triode-bench", 0755);
  add_file("b", "triode-top", 0755);
  EXPECT_THAT(list_commands({path("a"), path("missing"), path("b")}), ElementsAre("bench", "top"));
}

TEST_F(Subcommands, ListsNothingInNoFolders) {
  EXPECT_THAT(list_commands({}), IsEmpty());
}

}  // namespace
}  // namespace triode::cli
