// SPDX-License-Identifier: Apache-2.0
#include "cache/exchange/json_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "cache/exchange/gzip.h"
#include "cache/exchange/json_writer.h"
#include "tests/core/status_matchers.h"
#include "tests/runtime/temporary_folder.h"

namespace triode::exchange {
namespace {

using ::testing::HasSubstr;

Result<Node> read(const std::string& text, JsonDialect dialect = JsonDialect::kStrict) {
  return read_json(SourceFile("file.json", text), dialect);
}

TEST(JsonReader, ReadsEveryKindOfValue) {
  const Result<Node> node =
      read(R"( {"a": [1, -2.5e3, true, false, null], "b": "\u00e9\ud83d\ude00\n"} )");
  ASSERT_TRUE(node.ok()) << node.status().message();
  EXPECT_EQ(node->find("a")->items[0].integer, 1);
  EXPECT_EQ(node->find("a")->items[1].real, -2500);
  EXPECT_EQ(node->find("a")->items[1].text, "-2.5e3");
  EXPECT_EQ(node->find("b")->text, "\xc3\xa9\xf0\x9f\x98\x80\n");
}

TEST(JsonReader, RemembersWhereValuesStand) {
  const Result<Node> node = read("{\"a\":\n  [7]}");
  ASSERT_TRUE(node.ok());
  EXPECT_EQ(node->items[0].offset, 8U);
  EXPECT_EQ(node->items[0].items[0].offset, 9U);
}

TEST(JsonReader, RefusesMoreValuesThanFitIntoMemory) {
  std::string zeros;
  zeros.reserve(2 * kMostValues + 2);
  for (size_t i = 0; i <= kMostValues; ++i) zeros += "0,";
  EXPECT_THAT(read('[' + zeros + "0]"),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("more than 8 million values")));
  // Each of them is of one text here.
  const Result<Node> text = read("[\"\\\"" + zeros + "\"]");
  ASSERT_TRUE(text.ok()) << text.status().message();
  EXPECT_EQ(text->items.size(), 1U);
}

TEST(JsonReader, RefusesABombOfGzip) {
  const TemporaryFolder folder;
  std::string zeros = "{\"hardware\": [0";
  for (size_t i = 0; i <= kMostValues; ++i) zeros += ",0";
  folder.write("bomb.json.gz", *deflate_gzip(zeros + "]}"));
  EXPECT_LT(std::filesystem::file_size(folder.path() / "bomb.json.gz"), size_t{1} << 16);
  const Result<SourceFile> file = SourceFile::read(folder.path() / "bomb.json.gz");
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_THAT(read_json(*file),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("bomb.json, line 1, column 1: ")));
}

struct Wrong {
  std::string text;
  std::string message;
};

class JsonReaderRefuses : public ::testing::TestWithParam<Wrong> {};

TEST_P(JsonReaderRefuses, WithThePlace) {
  EXPECT_THAT(read(GetParam().text),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr(GetParam().message)));
}

INSTANTIATE_TEST_SUITE_P(
    Files, JsonReaderRefuses,
    ::testing::Values(
        Wrong{"", "file.json, line 1, column 1: the file ends where a value is expected"},
        Wrong{"{\"a\": 1,\n \"a\": 2}", "line 2, column 2: the name \"a\" stands here twice"},
        Wrong{"[1, 2", "line 1, column 6: expected ',' or ']'"},
        Wrong{"[1] x", "column 5: expected the end of the file"},
        Wrong{"NaN", "column 1: expected a JSON value"},
        Wrong{"Infinity", "column 1: expected a JSON value"},
        Wrong{"1e999", "column 1: a number beyond the range of a double"},
        Wrong{"9223372036854775808", "column 1: a whole number beyond 64 bits"},
        Wrong{"01", "column 1: a number that starts with 0"},
        Wrong{"1.", "column 3: expected a digit after '.'"},
        Wrong{"\"\xff\"", "column 2: not UTF-8"}, Wrong{"\"\xc0\xaf\"", "column 2: not UTF-8"},
        Wrong{"\"\\ud800\"", "column 2: half of a surrogate pair"},
        Wrong{"\"\\x\"", "column 2: an escape that JSON does not have"},
        Wrong{"\"a\nb\"", "a control character inside a text"},
        Wrong{"\"abc", "the file ends inside a text"},
        Wrong{"{1: 2}", "column 2: expected a name in quotes"},
        Wrong{std::string(100, '['), "column 66: more than 64 levels of brackets"},
        Wrong{std::string(1000000, '['), "more than 64 levels of brackets"}));

TEST(JsonReader, TakesInfinityWhereToolsWriteIt) {
  const Result<Node> node = read("[Infinity]", JsonDialect::kInfinity);
  ASSERT_TRUE(node.ok());
  EXPECT_EQ(write_json(*node), "[Infinity]");
  EXPECT_FALSE(read("[-Infinity]", JsonDialect::kInfinity).ok());
  EXPECT_FALSE(read("[NaN]", JsonDialect::kInfinity).ok());
}

TEST(JsonWriter, PrintsNumbersAsPythonDoes) {
  EXPECT_EQ(python_number(0.1), "0.1");
  EXPECT_EQ(python_number(3), "3.0");
  EXPECT_EQ(python_number(1e-5), "1e-05");
  EXPECT_EQ(python_number(0.0001), "0.0001");
  EXPECT_EQ(python_number(1e16), "1e+16");
  EXPECT_EQ(python_number(123456789012345.0), "123456789012345.0");
  EXPECT_EQ(python_number(1.5e300), "1.5e+300");
  EXPECT_EQ(python_number(-0.30000000000000004), "-0.30000000000000004");
}

TEST(JsonWriter, WritesWhatPythonsDumpsWrites) {
  const std::string compact =
      R"({"a": [1, 2.50, true, null, {}, []], "b": "\u00e9\ud83d\ude00\"\\\n"})";
  const Result<Node> node = read(compact);
  ASSERT_TRUE(node.ok());
  EXPECT_EQ(write_json(*node), compact);
  EXPECT_EQ(write_json(*node->find("a"), 2), "[\n  1,\n  2.50,\n  true,\n  null,\n  {},\n  []\n]");
}

}  // namespace
}  // namespace triode::exchange
