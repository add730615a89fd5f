// SPDX-License-Identifier: Apache-2.0
#include "cache/exchange/diode_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/cache/exchange/golden_file.h"
#include "tests/core/status_matchers.h"

namespace triode::exchange {
namespace {

using ::testing::HasSubstr;

// A dataset with one timed config, in which a piece is replaced by another.
SourceFile dataset_with(const std::string& piece, const std::string& replacement) {
  std::string text(golden_file("diode_legacy.json").bytes());
  const size_t at = text.find(piece);
  EXPECT_NE(at, std::string::npos) << piece;
  return {"set.json", text.replace(at, piece.size(), replacement)};
}

void expect_refused(const std::string& piece, const std::string& replacement,
                    const std::string& message) {
  EXPECT_THAT(read_diode(dataset_with(piece, replacement), DiodeEncoding::kJson),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr(message)));
}

TEST(DiodeFile, GivesTimesInNanosecondsAndShapesAsProblems) {
  const auto table = read_diode(golden_file("diode_dataset.json"), DiodeEncoding::kJson);
  ASSERT_TRUE(table.ok()) << table.status().message();
  const ExchangeRow& row = table->rows[0];
  EXPECT_EQ(row.target.device, "NVIDIA H100");
  EXPECT_EQ(to_string(row.problem), "mm f16 4096x4096x1024 nn ld-aligned");
  EXPECT_DOUBLE_EQ(row.measurement.median_ns, 26111.99952661991);
  EXPECT_EQ(to_string(row.config),
            "triton ACC_TYPE=tl.float32 ALLOW_TF32=false EVEN_K=false USE_FAST_ACCUM=false "
            "block_k=16 block_m=32 block_n=64 grid=1 group_m=8 name=mm_config num_stages=2 "
            "num_warps=4");
  EXPECT_EQ(to_string(table->rows[3].problem), "mm bf16,bf16,f32,f32 17x33x65 nn");
}

TEST(DiodeFile, TakesThePitchOfTheResultFromItsStrides) {
  const auto table = read_diode(golden_file("diode_dataset.json"), DiodeEncoding::kJson);
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(table->rows[12].problem.ldc, 128);
  EXPECT_EQ(table->rows[12].problem.c_batch_stride, 16384);
}

TEST(DiodeFile, GivesATableItsConfigsInOrderWithoutTimes) {
  const auto table = read_diode(golden_file("diode_table.json"), DiodeEncoding::kJson);
  ASSERT_TRUE(table.ok()) << table.status().message();
  EXPECT_EQ(table->rows[0].measurement.count, 0);
  EXPECT_TRUE(table->rows[0].outcome.ok());
}

TEST(DiodeFile, AddsNoFieldThatWasNotThere) {
  std::string text(golden_file("diode_dataset.json").bytes());
  for (const std::string line : {"                    \"ACC_TYPE\": \"tl.float32\",\n",
                                 "                    \"EVEN_K\": false,\n"}) {
    const size_t at = text.find(line);
    ASSERT_NE(at, std::string::npos) << line;
    text.erase(at, line.size());
  }
  const auto table = read_diode(SourceFile("set.json", text), DiodeEncoding::kJson);
  ASSERT_TRUE(table.ok()) << table.status().message();
  DropList dropped;
  const auto again = write_diode(*table, DiodeKind::kDataset, DiodeEncoding::kJson, dropped);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(*again, text);
}

TEST(DiodeFile, BecomesTheTableThatDiodeMakesOfIt) {
  auto table = read_diode(golden_file("diode_dataset.json"), DiodeEncoding::kJson);
  ASSERT_TRUE(table.ok());
  // diode's to_table sorts each shape's configs by time, and keeps those that are timed twice.
  for (auto start = table->rows.begin(); start != table->rows.end(); start += 3) {
    std::stable_sort(start, start + 3, [](const ExchangeRow& a, const ExchangeRow& b) {
      return a.measurement.median_ns < b.measurement.median_ns;
    });
  }
  DropList dropped;
  const auto written = write_diode(*table, DiodeKind::kTable, DiodeEncoding::kJson, dropped);
  ASSERT_TRUE(written.ok());
  EXPECT_EQ(*written, golden_file("diode_table.json").bytes());
  EXPECT_EQ(dropped.count(), 30);  // the times
}

TEST(DiodeFile, PacksTheSameAsItsJsonSays) {
  const auto table = read_diode(golden_file("diode_dataset.json"), DiodeEncoding::kJson);
  ASSERT_TRUE(table.ok());
  DropList dropped;
  const auto packed = write_diode(*table, DiodeKind::kDataset, DiodeEncoding::kMsgpack, dropped);
  EXPECT_EQ(*packed, golden_file("diode_dataset.msgpack").bytes());
}

TEST(DiodeFile, RefusesOtherSchemasOfDiodesByName) {
  const auto refuses = [](const std::string& text, const std::string& message) {
    EXPECT_THAT(read_diode(SourceFile("a.json", text), DiodeEncoding::kJson),
                FailsWith(StatusCode::kInvalidArgument, HasSubstr(message)));
  };
  refuses(R"({"shapes": []})", "this is diode's ShapeSet");
  refuses(R"({"operations": {}})", "this is diode's OperationShapeSet");
  refuses(R"({"config": []})", "this is diode's Solution");
  refuses(R"({})", "the field \"hardware\" is missing");
  refuses(R"([])", "a diode file must be an object, not an array");
  refuses(R"({"hardware": {}, "version": 2})", "version 2 of diode's format; this reads version 1");
}

TEST(DiodeFile, RefusesWhatIsWrongWithItsPlace) {
  expect_refused("\"time\": 0.02611199952661991", "\"time\": -1",
                 "set.json, line 13, column 27: the time must be a number above zero");
  expect_refused("\"time\": 0.02611199952661991", "\"time\": 0", "above zero");
  expect_refused("\"time\": 0.02611199952661991", "\"time\": \"fast\"", "above zero");
  expect_refused("\"time\": 0.02611199952661991", "\"time\": NaN", "line 13, column 27");
  expect_refused("\"time\": 0.02611199952661991,", "", "the field \"time\" is missing");
  expect_refused("\\\"block_m\\\": 32", "\\\"block_m\\\": 32.5",
                 "\"block_m\" must be a whole number");
  expect_refused("\\\"block_m\\\": 32", "\\\"block_m\\\": -1", "block_m is -1");
  expect_refused("\\\"block_m\\\": 32, ", "", "the field \"block_m\" is missing");
  expect_refused("\\\"block_m\\\": 32, ", "\\\"block_m\\\": 32, \\\"x\\\": 1, ",
                 "the field \"x\" is not known here");
  expect_refused("\\\"M\\\": 32", "\\\"M\\\": 0", "M is 0; expected 1 to");
  expect_refused("\\\"M\\\": 32", "\\\"M\\\": 99999999999", "expected 1 to");
  expect_refused("[1, 32, 32]", "[1, 32]", "must have three numbers");
  expect_refused("\"name\": \"mm\"", "\"name\": \"bmm\"", "the name is not that of the operation");
}

TEST(DiodeFile, DropsWithTheReasonWhatTriodeHasNoProblemFor) {
  const auto table = read_diode(
      dataset_with("\\\"out_dtype\\\": \\\"float16\\\"", "\\\"out_dtype\\\": \\\"float8_e5m2\\\""),
      DiodeEncoding::kJson);
  ASSERT_TRUE(table.ok()) << table.status().message();
  EXPECT_EQ(table->rows.size(), 1U);
  ASSERT_EQ(table->dropped.entries().size(), 1U);
  EXPECT_EQ(table->dropped.entries()[0].count, 2);
  EXPECT_THAT(table->dropped.entries()[0].reason, HasSubstr("float8_e5m2"));
}

}  // namespace
}  // namespace triode::exchange
