// SPDX-License-Identifier: Apache-2.0
#include "cache/exchange/source_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cache/exchange/gzip.h"
#include "tests/core/status_matchers.h"
#include "tests/runtime/temporary_folder.h"

namespace triode::exchange {
namespace {

using ::testing::HasSubstr;

TEST(SourceFile, NamesLineAndColumnOfText) {
  const SourceFile file("folder/a.json", "one\ntwo\n");
  EXPECT_EQ(file.error_at(5, "no").message(), "folder/a.json, line 2, column 2: no");
  EXPECT_EQ(file.error_at(999, "no").message(), "folder/a.json, line 3, column 1: no");
  EXPECT_EQ(file.base_name(), "a.json");
}

TEST(SourceFile, NamesTheByteOfAnythingElse) {
  const SourceFile file("a.msgpack", std::string("\x81\xa1z\x01", 4));
  EXPECT_EQ(file.error_at(2, "no").message(), "a.msgpack, byte 2: no");
}

TEST(SourceFile, InflatesGzip) {
  const TemporaryFolder folder;
  folder.write("a.csv.gz", *deflate_gzip("some text"));
  const Result<SourceFile> file = SourceFile::read(folder.path() / "a.csv.gz");
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_EQ(file->bytes(), "some text");
  EXPECT_EQ(file->base_name(), "a.csv");
}

TEST(SourceFile, RefusesDamagedGzip) {
  const TemporaryFolder folder;
  const std::string whole = *deflate_gzip(std::string(10000, 'a') + "b");
  folder.write("cut.gz", std::string_view(whole).substr(0, whole.size() - 9));
  std::string changed = whole;
  changed[changed.size() - 6] ^= 1;
  folder.write("changed.gz", changed);
  EXPECT_THAT(SourceFile::read(folder.path() / "cut.gz"),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("cut short")));
  EXPECT_THAT(SourceFile::read(folder.path() / "changed.gz"),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("damaged")));
}

TEST(SourceFile, StopsInflatingABomb) {
  const std::string bomb = *deflate_gzip(std::string(1 << 20, '\0'));
  EXPECT_THAT(inflate_gzip(bomb, 1 << 16),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("inflates to more than")));
}

TEST(SourceFile, ReadsNoMoreThanItsBeginning) {
  const TemporaryFolder folder;
  const std::string text(3 * SourceFile::kBeginningBytes, 'a');
  folder.write("a.json", text);
  folder.write("b.json.gz", *deflate_gzip(text));
  folder.write("cut.json.gz", deflate_gzip(text)->substr(0, 40));
  const auto beginning = [&](const char* name) {
    return SourceFile::read_beginning(folder.path() / name).take();
  };
  EXPECT_EQ(beginning("a.json").bytes().size(), SourceFile::kBeginningBytes);
  EXPECT_EQ(beginning("b.json.gz").bytes().size(), SourceFile::kBeginningBytes);
  EXPECT_EQ(beginning("b.json.gz").base_name(), "b.json");
  EXPECT_LE(beginning("cut.json.gz").bytes().size(), SourceFile::kBeginningBytes);
  EXPECT_THAT(SourceFile::read_beginning("/no/such/file"),
              FailsWith(StatusCode::kNotFound, HasSubstr("/no/such/file")));
}

TEST(SourceFile, SaysWhyItCannotBeRead) {
  EXPECT_THAT(SourceFile::read("/no/such/file"),
              FailsWith(StatusCode::kNotFound, HasSubstr("/no/such/file")));
}

}  // namespace
}  // namespace triode::exchange
