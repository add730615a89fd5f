// SPDX-License-Identifier: Apache-2.0
#include "tools/collect/data_files.h"

#include <gtest/gtest.h>

#include "tests/runtime/temporary_folder.h"

namespace triode::collect {
namespace {

class DataFiles : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

  TemporaryFolder folder_;
};

TEST_F(DataFiles, OfAFileAreTheFileWhetherItIsThereOrNot) {
  EXPECT_EQ(data_files("nowhere/at/all").value(), std::vector<std::string>{"nowhere/at/all"});
}

TEST_F(DataFiles, OfAFolderAreThoseWithKnownNamesInOrder) {
  folder_.write("z.csv", "");
  folder_.write("b.json", "");
  folder_.write("a.csv.gz", "");
  folder_.write("c.msgpack", "");
  folder_.write("notes.md", "");
  folder_.write("below/d.csv", "");
  EXPECT_EQ(data_files(folder_.path().string()).value(),
            (std::vector{path("a.csv.gz"), path("b.json"), path("c.msgpack"), path("z.csv")}));
}

TEST_F(DataFiles, OfAFolderWithoutAnyAreAnError) {
  folder_.write("notes.md", "");
  const Status status = data_files(folder_.path().string()).status();
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_NE(status.message().find("--cache"), std::string::npos);
}

}  // namespace
}  // namespace triode::collect
