// SPDX-License-Identifier: Apache-2.0
#include "cache/exchange/inductor_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cache/exchange/inductor_key.h"
#include "tests/cache/exchange/golden_file.h"
#include "tests/core/status_matchers.h"

namespace triode::exchange {
namespace {

using ::testing::HasSubstr;

constexpr const char* kMm =
    "((torch.float16, [64, 128], [128, 1]), (torch.float16, [128, 256], [256, 1]))+mm";

TEST(InductorTable, ReadsKeysAsProblems) {
  const auto table = read_inductor(golden_file("inductor_table.json"), {});
  ASSERT_TRUE(table.ok()) << table.status().message();
  EXPECT_EQ(table->rows[0].target.device, "NVIDIA H100");
  EXPECT_EQ(to_string(table->rows[0].problem), "mm f16 64x256x128 nt ld-aligned");
  EXPECT_EQ(table->rows[0].config.number_or("block_k", 0), 64);
  EXPECT_EQ(to_string(table->rows[1].config), "vendor template_id=\"aten::mm\"");
  EXPECT_EQ(table->rows[2].target.device, "any");
  EXPECT_EQ(to_string(table->rows[2].problem), "addmm f16 128x256x64 nn ld-aligned epilogue=bias");
  EXPECT_EQ(to_string(table->rows[4].problem), "bmm bf16 12x128x64x96 nn ld-aligned");
}

TEST(InductorTable, MakesTheKeysThatInductorMakes) {
  const auto table = read_inductor(golden_file("inductor_table.json"), {});
  ASSERT_TRUE(table.ok());
  for (const ExchangeRow& row : table->rows) {
    const std::string device = row.target.device == "any" ? "" : row.target.device;
    EXPECT_EQ(*inductor_key(device, row.problem), row.extra.at("inductor.key"));
  }
}

TEST(InductorTable, RefusesWhatIsNoKey) {
  for (const std::string text :
       {"", "mm", "((torch.float16, [64, 128], [128, 1]))", "((torch.float16, [64], [128, 1]))+mm",
        "((torch.float16, [64, x], [128, 1]))+mm", "((torch.float16, [64, -1], [128, 1]))+mm",
        "x((torch.float16, [64, 1], [128, 1]))+mm", "((torch.float16, [1, 1], [1, 1]))+"}) {
    EXPECT_THAT(parse_inductor_key(text),
                FailsWith(StatusCode::kInvalidArgument, HasSubstr("is no key of an Inductor")))
        << text;
  }
}

TEST(InductorTable, RefusesWhatIsWrongWithItsPlace) {
  const auto refuses = [](const std::string& value, const std::string& message) {
    const SourceFile file("t.json", "{\"" + std::string(kMm) + "\": " + value + "}");
    EXPECT_THAT(read_inductor(file, {}),
                FailsWith(StatusCode::kInvalidArgument, HasSubstr(message)));
  };
  refuses("{}", "the choices of a key must be an array");
  refuses("[1]", "line 1, column 87: an entry must be an object");
  refuses("[{}]", "the field \"template_id\" is missing");
  refuses(R"([{"template_id": "triton::mm", "BLOCK_M": []}])", "cannot be an array");
}

TEST(InductorTable, WritesTimedConfigsOfOtherToolsBestFirstAndUntimedOnesLast) {
  ExchangeTable table;
  for (const double time : {300.0, 200.0, 100.0}) {
    ExchangeRow row;
    row.target.device = "NVIDIA H100";
    row.problem = Problem::mm(DType::kF16, 64, 256, 128);
    row.config.family = "triton";
    for (const char* name : {"block_m", "block_n", "block_k", "num_stages", "num_warps"}) {
      row.config.set(name, static_cast<int64_t>(time));
    }
    if (time < 300) row.measurement = {time, time, 0, 1};
    table.rows.push_back(row);
  }
  DropList dropped;
  const std::string text = write_inductor(table, dropped);
  EXPECT_LT(text.find("\"BLOCK_M\": 100"), text.find("\"BLOCK_M\": 200"));
  EXPECT_LT(text.find("\"BLOCK_M\": 200"), text.find("\"BLOCK_M\": 300"));
  EXPECT_THAT(text, HasSubstr("\"NVIDIA H100+" + std::string(kMm) + "\": ["));
  EXPECT_THAT(text, HasSubstr("\"template_id\": \"triton::mm\""));
}

}  // namespace
}  // namespace triode::exchange
