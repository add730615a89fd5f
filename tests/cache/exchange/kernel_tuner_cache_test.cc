// SPDX-License-Identifier: Apache-2.0
#include "cache/exchange/kernel_tuner_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/cache/exchange/golden_file.h"
#include "tests/core/status_matchers.h"

namespace triode::exchange {
namespace {

using ::testing::HasSubstr;

SourceFile golden_with(const std::string& piece, const std::string& replacement) {
  std::string text(golden_file("kernel_tuner_cache.json").bytes());
  const size_t at = text.find(piece);
  EXPECT_NE(at, std::string::npos) << piece;
  return {"c.json", text.replace(at, piece.size(), replacement)};
}

void expect_refused(const std::string& piece, const std::string& replacement,
                    const std::string& message) {
  EXPECT_THAT(read_kernel_tuner(golden_with(piece, replacement), {}),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr(message)));
}

TEST(KernelTunerCache, ReadsConfigsTimesAndFaults) {
  const auto table = read_kernel_tuner(golden_file("kernel_tuner_cache.json"), {});
  ASSERT_TRUE(table.ok()) << table.status().message();
  EXPECT_EQ(table->rows[0].target.device, "NVIDIA RTX A4000");
  EXPECT_EQ(to_string(table->rows[0].problem), "mm f32 4096x4096x1024 nn ld-aligned");
  EXPECT_EQ(to_string(table->rows[0].config),
            "kernel_tuner.matmul_kernel block_size_x=16 block_size_y=1 tile=a use_padding=true");
  EXPECT_EQ(table->rows[0].measurement.count, 3);
  EXPECT_DOUBLE_EQ(table->rows[0].measurement.min_ns, 0.049e6);
  EXPECT_EQ(table->rows[1].outcome.kind, OutcomeKind::kCompileFailed);
}

TEST(KernelTunerCache, ReadsOneWhoseTuningWasInterrupted) {
  std::string text(golden_file("kernel_tuner_cache.json").bytes());
  text.resize(text.rfind("\n\"64,2,a,True\""));
  const auto table = read_kernel_tuner(SourceFile("c.json", text), {});
  ASSERT_TRUE(table.ok()) << table.status().message();
  EXPECT_EQ(table->rows.size(), 2U);
}

TEST(KernelTunerCache, AsksForTheProblemWhereTheSizeDoesNotSay) {
  expect_refused("4096,\n4096,\n1024", "4096,\n4096", "--problem");
  ImportOptions options;
  options.problem = Problem::mm(DType::kF64, 8, 8, 8);
  const auto table = read_kernel_tuner(golden_with("4096,\n4096,\n1024", "4096,\n4096"), options);
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(table->rows[0].problem, *options.problem);
}

TEST(KernelTunerCache, RefusesWhatIsWrongWithItsPlace) {
  expect_refused("\"device_name\": \"NVIDIA RTX A4000\",\n", "", "\"device_name\" is missing");
  expect_refused("\"time\": 0.05", "\"time\": -0.05", "the time must be a number above zero");
  expect_refused("\"time\": 0.05, ", "", "the config has no time");
  expect_refused("\"block_size_x\": 16, ", "", "lacks the parameter \"block_size_x\"");
  expect_refused("\"block_size_x\": 16, ", "\"block_size_x\": {}, ", "cannot be an object");
  expect_refused("\"times\": [0.049", "\"times\": [0", "a time must be a number above zero");
  expect_refused("\"32,2,b,False\"", "\"16,1,a,True\"", "stands here twice");
  expect_refused("1024\n]", "0\n]", "a problem size is 0");
}

TEST(KernelTunerCache, WritesRowsOfOursWithTheirProblem) {
  ExchangeTable table;
  ExchangeRow row;
  row.target.device = "cpu";
  row.problem = Problem::mm(DType::kF32, 64, 32, 16);
  row.config.set("mr", int64_t{6});
  row.measurement = {1000, 900, 0.01, 5};
  table.rows.push_back(row);
  row.config.set("mr", int64_t{8});
  row.outcome = {OutcomeKind::kCrashed, "SIGSEGV"};
  table.rows.push_back(row);
  DropList dropped;
  const auto files = write_kernel_tuner(table, dropped);
  ASSERT_EQ(files.size(), 1U);
  const auto again = read_kernel_tuner(SourceFile("x.json", files[0].bytes), {});
  ASSERT_TRUE(again.ok()) << again.status().message();
  ASSERT_EQ(again->rows.size(), 2U);
  EXPECT_EQ(again->rows[0].problem, row.problem);
  EXPECT_DOUBLE_EQ(again->rows[0].measurement.median_ns, 1000);
  EXPECT_EQ(again->rows[1].outcome.kind, OutcomeKind::kLaunchFailed);
  ASSERT_EQ(dropped.entries().size(), 1U);
  EXPECT_THAT(dropped.entries()[0].reason, HasSubstr("spread"));
}

TEST(KernelTunerCache, KeepsTheLeastOfTimesWithSeveralToolchains) {
  ExchangeTable table;
  ExchangeRow row;
  row.target.device = "cpu";
  row.problem = Problem::mm(DType::kF32, 64, 32, 16);
  row.config.set("mr", int64_t{6});
  for (const double median_ns : {2000.0, 1000.0, 3000.0}) {
    row.measurement = {median_ns, median_ns, 0, 1};
    table.rows.push_back(row);
  }
  row.measurement = {};
  row.outcome = {OutcomeKind::kCrashed, "SIGSEGV"};
  table.rows.push_back(row);
  DropList dropped;
  const auto files = write_kernel_tuner(table, dropped);
  const auto again = read_kernel_tuner(SourceFile("x.json", files.at(0).bytes), {});
  ASSERT_TRUE(again.ok()) << again.status().message();
  ASSERT_EQ(again->rows.size(), 1U);
  EXPECT_DOUBLE_EQ(again->rows[0].measurement.median_ns, 1000);
  ASSERT_EQ(dropped.entries().size(), 1U);
  EXPECT_EQ(dropped.entries()[0].count, 3);
}

TEST(KernelTunerCache, WritesTheTimeOfFoldedTrialsNotThatOfTheLastOne) {
  ExchangeTable table = read_kernel_tuner(golden_file("kernel_tuner_cache.json"), {}).take();
  table.rows[0].trials = 2;
  table.rows[0].measurement.median_ns = 123e6;
  DropList dropped;
  const auto files = write_kernel_tuner(table, dropped);
  const auto again = read_kernel_tuner(SourceFile("x.json", files.at(0).bytes), {});
  ASSERT_TRUE(again.ok()) << again.status().message();
  EXPECT_DOUBLE_EQ(again->rows[0].measurement.median_ns, 123e6);
  EXPECT_EQ(again->rows[0].target.device, "NVIDIA RTX A4000");
}

}  // namespace
}  // namespace triode::exchange
