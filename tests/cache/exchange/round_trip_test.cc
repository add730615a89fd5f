// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include "cache/exchange/exchange_format.h"
#include "tests/cache/exchange/golden_file.h"
#include "tests/core/status_matchers.h"

namespace triode::exchange {
namespace {

struct Golden {
  std::string name;
  ExchangeFormat format;
  size_t rows;

  friend void PrintTo(const Golden& golden, std::ostream* out) { *out << golden.name; }
};

const std::vector<Golden> kGoldens = {
    {"diode_dataset.json", ExchangeFormat::kDiodeDataset, 30},
    {"diode_dataset.msgpack", ExchangeFormat::kDiodeDatasetMsgpack, 30},
    {"diode_table.json", ExchangeFormat::kDiodeTable, 30},
    {"diode_table.msgpack", ExchangeFormat::kDiodeTableMsgpack, 30},
    {"diode_legacy.json", ExchangeFormat::kDiodeDataset, 3},
    {"tunableop_results.csv", ExchangeFormat::kTunableOp, 7},
    {"N=2048,K=512,device_name=NVIDIA_H200,dtype=fp8_w8a8,block_shape=[128,128].json",
     ExchangeFormat::kVllm, 2},
    {"E=8,N=7168,device_name=AMD_Instinct_MI300X.json", ExchangeFormat::kVllm, 2},
    {"matmul_kernel.autotune.json", ExchangeFormat::kTritonAutotune, 3},
    {"kernel_tuner_cache.json", ExchangeFormat::kKernelTuner, 3},
    {"inductor_table.json", ExchangeFormat::kInductor, 5},
    {"timings.csv", ExchangeFormat::kTimingsCsv, 4},
    {"full_space.csv", ExchangeFormat::kTimingsCsv, 2},
};

ImportOptions user_knows() {
  ImportOptions options;
  options.device = "NVIDIA A100";
  options.moe_k = 4096;
  return options;
}

class RoundTrip : public ::testing::TestWithParam<Golden> {};

TEST_P(RoundTrip, GivesTheSameBytesAgain) {
  const SourceFile file = golden_file(GetParam().name);
  const Result<ExchangeTable> table = read_exchange(GetParam().format, file, user_knows());
  ASSERT_TRUE(table.ok()) << table.status().message();
  EXPECT_EQ(table->rows.size(), GetParam().rows);
  EXPECT_EQ(table->dropped.count(), 0);
  DropList dropped;
  const auto written = write_exchange(GetParam().format, *table, dropped);
  ASSERT_TRUE(written.ok()) << written.status().message();
  ASSERT_EQ(written->size(), 1U);
  EXPECT_EQ(written->front().bytes, file.bytes());
}

TEST_P(RoundTrip, TellsTheFormat) {
  const Result<ExchangeFormat> format = detect_format(golden_file(GetParam().name));
  ASSERT_TRUE(format.ok()) << format.status().message();
  // Both kinds of a diode msgpack file have one reader, which tells them apart.
  const bool is_packed_table = GetParam().format == ExchangeFormat::kDiodeTableMsgpack;
  EXPECT_EQ(*format, is_packed_table ? ExchangeFormat::kDiodeDatasetMsgpack : GetParam().format);
}

TEST_P(RoundTrip, HasValidProblemsAndReadableConfigs) {
  const Result<ExchangeTable> table =
      read_exchange(GetParam().format, golden_file(GetParam().name), user_knows());
  ASSERT_TRUE(table.ok());
  for (const ExchangeRow& row : table->rows) {
    EXPECT_TRUE(row.problem.validate().ok());
    const Result<ForeignConfig> config = parse_foreign_config(to_string(row.config));
    ASSERT_TRUE(config.ok()) << config.status().message();
    EXPECT_EQ(*config, row.config);
  }
}

// A file that is cut short is either refused or, where the format cannot tell (an unfinished Kernel
// Tuner cache, whole lines of a table), has fewer rows; never rows that were not in it.
TEST_P(RoundTrip, RefusesAFileThatIsCutShort) {
  const SourceFile file = golden_file(GetParam().name);
  // At every byte of the beginning, then at some hundred places.
  const size_t stride = 1 + file.bytes().size() / 300;
  for (size_t size = 0; size < file.bytes().size(); size += size < 200 ? 1 : stride) {
    const SourceFile cut(file.name(), std::string(file.bytes().substr(0, size)));
    const Result<ExchangeTable> table = read_exchange(GetParam().format, cut, user_knows());
    if (table.ok()) {
      EXPECT_LE(table->rows.size(), GetParam().rows) << "cut at " << size;
      continue;
    }
    EXPECT_EQ(table.status().code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(table.status().message(), ::testing::HasSubstr(file.base_name()));
  }
}

// Where another format has no place for a row, the row is on the list; nothing goes in silence.
TEST_P(RoundTrip, ListsWhatEveryOtherFormatCannotHold) {
  const Result<ExchangeTable> table =
      read_exchange(GetParam().format, golden_file(GetParam().name), user_knows());
  ASSERT_TRUE(table.ok());
  for (const FormatRow& row : format_rows()) {
    DropList dropped;
    const auto written = write_exchange(row.format, *table, dropped);
    ASSERT_TRUE(written.ok());
    size_t read_again = 0;
    for (const ExportedFile& file : *written) {
      const auto again = read_exchange(row.format, SourceFile(file.name, file.bytes), user_knows());
      // An empty export has nothing that could be read.
      if (again.ok()) read_again += again->rows.size();
    }
    EXPECT_LE(read_again, table->rows.size()) << row.name;
    if (read_again < table->rows.size()) {
      EXPECT_GE(dropped.count(), static_cast<int64_t>(table->rows.size() - read_again)) << row.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Goldens, RoundTrip, ::testing::ValuesIn(kGoldens),
                         [](const auto& golden) { return "File" + std::to_string(golden.index); });

TEST(ExchangeFormat, IsFoundByItsName) {
  for (const FormatRow& row : format_rows()) {
    EXPECT_EQ(*parse_exchange_format(row.name), row.format);
    EXPECT_EQ(to_string(row.format), row.name);
  }
  EXPECT_THAT(parse_exchange_format("xml"),
              FailsWith(StatusCode::kInvalidArgument, ::testing::HasSubstr("diode-dataset")));
}

TEST(ExchangeFormat, IsNotGuessedFromAnything) {
  EXPECT_THAT(detect_format(SourceFile("a.bin",
                                       "\x7f"
                                       "ELF")),
              FailsWith(StatusCode::kInvalidArgument, ::testing::HasSubstr("--format")));
}

// The data sets that are not part of the project, where they are.
class SharedData : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* folder = std::getenv("TRIODE_SHARED_DATA");
    if (folder == nullptr || !std::filesystem::exists(folder)) {
      GTEST_SKIP() << "TRIODE_SHARED_DATA does not name a folder";
    }
    folder_ = folder;
  }

  SourceFile read(const std::string& name) {
    Result<SourceFile> file = SourceFile::read(folder_ + "/" + name);
    EXPECT_TRUE(file.ok()) << file.status().message();
    return file.ok() ? std::move(file).take() : SourceFile(name, "");
  }

  void expect_same_bytes(const std::string& name, size_t rows) {
    const SourceFile file = read(name);
    const ExchangeFormat format = *detect_format(file);
    const Result<ExchangeTable> table = read_exchange(format, file, user_knows());
    ASSERT_TRUE(table.ok()) << table.status().message();
    EXPECT_EQ(table->rows.size(), rows);
    DropList dropped;
    const auto written = write_exchange(format, *table, dropped);
    ASSERT_TRUE(written.ok());
    EXPECT_TRUE(written->front().bytes == file.bytes()) << name << " came out different";
  }

  std::string folder_;
};

TEST_F(SharedData, ComesOutUnchanged) {
  expect_same_bytes("diode/matmul_dataset.json", 84);
  expect_same_bytes("gpu/mm_a100.csv.gz", 55785);
  expect_same_bytes("gpu/mm_h100_half.csv.gz", 21335);
  expect_same_bytes("gpu/square_a100_full_space.csv.gz", 51840);
}

TEST_F(SharedData, IsRefusedWhereItIsOfAnotherSchema) {
  for (const char* name : {"diode/example_shapeset.json", "diode/operation_shapeset.json",
                           "diode/small_op_shapes.json", "diode/max_autotune.json"}) {
    const SourceFile file = read(name);
    EXPECT_THAT(read_exchange(*detect_format(file), file, user_knows()),
                FailsWith(StatusCode::kInvalidArgument, ::testing::HasSubstr("this is diode's ")));
  }
}

}  // namespace
}  // namespace triode::exchange
