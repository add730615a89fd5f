// SPDX-License-Identifier: Apache-2.0
#include "cache/exchange/msgpack_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cache/exchange/json_reader.h"
#include "cache/exchange/json_writer.h"
#include "tests/core/status_matchers.h"

namespace triode::exchange {
namespace {

using ::testing::HasSubstr;

Result<Node> read(const std::string& bytes) {
  return read_msgpack(SourceFile("file.msgpack", bytes));
}

TEST(MsgpackDocument, ReadsWhatItWrites) {
  const std::string json = R"({"a": [1, -200000, 2.5, true, null, {}], "b": "text"})";
  const Result<Node> node = read_json(SourceFile("x", json));
  ASSERT_TRUE(node.ok());
  const Result<Node> again = read(write_msgpack(*node));
  ASSERT_TRUE(again.ok()) << again.status().message();
  EXPECT_EQ(write_json(*again), json);
}

TEST(MsgpackDocument, RefusesWhatIsNone) {
  const auto refuses = [](const std::string& bytes, const std::string& message) {
    EXPECT_THAT(read(bytes), FailsWith(StatusCode::kInvalidArgument, HasSubstr(message)));
  };
  refuses("", "the file ends inside a value");
  refuses(
      "\x81\xa1"
      "a",
      "the file ends inside a value");
  refuses(std::string("\x01\x02", 2), "file.msgpack, byte 1: expected the end of the file");
  refuses("\xc1", "this is not msgpack");
  refuses(
      "\x82\xa1"
      "a\x01\xa1"
      "a\x02",
      "byte 5: the name \"a\" stands here twice");
  refuses("\x81\x01\x02", "a name that is no text");
  refuses("\x81\x90\x02", "a name that is no text");
  refuses("\xc4\x01z", "binary data");
  refuses("\xa1\xff", "a text that is not UTF-8");
  refuses("\xcf\xff\xff\xff\xff\xff\xff\xff\xff", "a whole number beyond 64 bits");
  refuses(std::string("\xcb\x7f\xf0\0\0\0\0\0\0", 9), "a number that is not finite");
  refuses("\xdd\xff\xff\xff\xff", "more items than the file has bytes");
  refuses(std::string(100, '\x91') + "\x01", "too many levels");
}

TEST(MsgpackDocument, RefusesMoreValuesThanFitIntoMemory) {
  const auto count = static_cast<uint32_t>(kMostValues);
  std::string bytes = "\xdd";
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(count >> shift & 0xFF);
  EXPECT_THAT(read(bytes + std::string(count, '\0')),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("more than 8 million values")));
}

}  // namespace
}  // namespace triode::exchange
