// SPDX-License-Identifier: Apache-2.0
#include "tools/run/preload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/core/status_matchers.h"
#include "tests/runtime/temporary_folder.h"

namespace triode::run {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(OwnFolder, IsWhereThisProgramLies) {
  EXPECT_TRUE(std::filesystem::exists(own_folder().value() + "/tools_tests"));
}

TEST(LibraryCandidates, AreTheLibFolderThenTheProgramsOwn) {
  EXPECT_THAT(library_candidates("/opt/triode/bin"),
              ElementsAre("/opt/triode/lib/libtriode.so", "/opt/triode/bin/libtriode.so"));
}

TEST(FindLibrary, TakesTheFirstFile) {
  const TemporaryFolder folder;
  folder.write("b", "");
  folder.write("c", "");
  std::filesystem::create_directory(folder.path() / "a");
  EXPECT_EQ(find_library({folder.path() / "missing", folder.path() / "a", folder.path() / "b",
                          folder.path() / "c"})
                .value(),
            (folder.path() / "b").string());
}

TEST(FindLibrary, SaysWhatWasTriedAndWhatToDo) {
  EXPECT_THAT(
      find_library({"/nonexistent/one", "/nonexistent/two"}),
      FailsWith(StatusCode::kNotFound, AllOf(HasSubstr("/nonexistent/one, /nonexistent/two"),
                                             HasSubstr("build Triode or install it"))));
}

TEST(PreloadList, IsTheLibraryAlone) {
  EXPECT_EQ(preload_list("/lib/t.so", "").value(), "/lib/t.so");
}

TEST(PreloadList, KeepsWhatWasThereBehindTheLibrary) {
  EXPECT_EQ(preload_list("/lib/t.so", "/a.so:b.so").value(), "/lib/t.so:/a.so:b.so");
}

TEST(PreloadList, SplitsAtSpacesToo) {
  EXPECT_EQ(preload_list("/lib/t.so", " /a.so  b.so:").value(), "/lib/t.so:/a.so:b.so");
}

TEST(PreloadList, NamesTheLibraryOnce) {
  EXPECT_EQ(preload_list("/lib/t.so", "/lib/t.so").value(), "/lib/t.so");
  EXPECT_EQ(preload_list("/lib/t.so", "/a.so:/lib/t.so").value(), "/lib/t.so:/a.so");
}

TEST(PreloadList, RefusesAPathThatTheListCannotHold) {
  EXPECT_THAT(preload_list("/my libs/t.so", ""),
              FailsWith(StatusCode::kUnsupported, HasSubstr("/my libs/t.so")));
  EXPECT_THAT(preload_list("/a:b/t.so", ""),
              FailsWith(StatusCode::kUnsupported, HasSubstr("colon")));
}

}  // namespace
}  // namespace triode::run
