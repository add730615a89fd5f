// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/whole_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>

#include "tests/core/status_matchers.h"
#include "tests/runtime/temporary_folder.h"

namespace triode {
namespace {

using ::testing::HasSubstr;

class WholeFileTest : public ::testing::Test {
 protected:
  const TemporaryFolder folder;
  const std::string path = folder.path() / "file";
};

TEST_F(WholeFileTest, GivesBackWhatWasWritten) {
  const std::string bytes("a\0b\n", 4);
  ASSERT_TRUE(replace_file(path, bytes).ok());
  EXPECT_EQ(read_whole_file(path, 4).take(), bytes);
}

TEST_F(WholeFileTest, ReplacesAFileAndLeavesNothingBeside) {
  ASSERT_TRUE(replace_file(path, "longer than the next").ok());
  ASSERT_TRUE(replace_file(path, "short").ok());
  EXPECT_EQ(read_whole_file(path, 100).take(), "short");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST_F(WholeFileTest, OverwritesWhatAKilledProcessLeftBehind) {
  folder.write("file.tmp", "half a file, longer than the whole one");
  ASSERT_TRUE(replace_file(path, "whole").ok());
  EXPECT_EQ(read_whole_file(path, 100).take(), "whole");
}

TEST_F(WholeFileTest, RefusesMoreBytesThanAllowed) {
  folder.write("file", "12345");
  EXPECT_THAT(read_whole_file(path, 4), FailsWith(StatusCode::kUnsupported, HasSubstr("5 bytes")));
}

TEST_F(WholeFileTest, FindsNoFile) {
  EXPECT_THAT(read_whole_file(path, 4), FailsWith(StatusCode::kNotFound, HasSubstr(path)));
}

TEST_F(WholeFileTest, RefusesFoldersAndPipesWithoutWaiting) {
  EXPECT_THAT(read_whole_file(folder.path(), 4),
              FailsWith(StatusCode::kUnsupported, HasSubstr("it is not a file")));
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_THAT(read_whole_file(path, 4),
              FailsWith(StatusCode::kUnsupported, HasSubstr("it is not a file")));
}

TEST_F(WholeFileTest, FailsInAFolderThatIsNotThere) {
  EXPECT_THAT(replace_file(folder.path() / "no" / "file", "x"),
              FailsWith(StatusCode::kNotFound, HasSubstr("look whether the folder is there")));
}

TEST_F(WholeFileTest, LeavesNothingBesideWhatItCannotReplace) {
  std::filesystem::create_directory(path);
  EXPECT_THAT(replace_file(path, "x"), FailsWith(StatusCode::kUnsupported, HasSubstr(path)));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(FileError, SaysWhatToDoAboutAFullDisk) {
  EXPECT_THAT(file_error("write", "/x", ENOSPC),
              FailsWith(StatusCode::kResourceExhausted, HasSubstr("free some space")));
}

}  // namespace
}  // namespace triode
