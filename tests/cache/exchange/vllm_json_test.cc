// SPDX-License-Identifier: Apache-2.0
#include "cache/exchange/vllm_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/cache/exchange/golden_file.h"
#include "tests/core/status_matchers.h"

namespace triode::exchange {
namespace {

using ::testing::HasSubstr;

constexpr const char* kName = "N=64,K=32,device_name=NVIDIA_H200,dtype=fp8_w8a8.json";

void expect_refused(const std::string& name, const std::string& text, const std::string& message) {
  EXPECT_THAT(read_vllm(SourceFile(name, text), {}),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr(message)));
}

TEST(VllmJson, TakesDeviceShapeAndTypesFromTheName) {
  const auto table = read_vllm(
      golden_file("N=2048,K=512,device_name=NVIDIA_H200,dtype=fp8_w8a8,block_shape=[128,128].json"),
      {});
  ASSERT_TRUE(table.ok()) << table.status().message();
  const ExchangeRow& row = table->rows[1];
  EXPECT_EQ(row.target.device, "NVIDIA H200");
  EXPECT_EQ(row.target.toolchain, "vllm triton 3.5.1");
  EXPECT_EQ(to_string(row.problem), "mm f8e4m3,f8e4m3,bf16,f32 48x2048x512 nt ld-aligned");
  EXPECT_EQ(to_string(row.config),
            "vllm-w8a8 block_k=64 block_m=32 block_n=64 group_m=16 kpack=2 num_warps=4");
  EXPECT_EQ(row.measurement.count, 0);
}

TEST(VllmJson, NeedsTheDepthOfAMixtureOfExperts) {
  const SourceFile file = golden_file("E=8,N=7168,device_name=AMD_Instinct_MI300X.json");
  const auto without = read_vllm(file, {});
  ASSERT_TRUE(without.ok());
  EXPECT_TRUE(without->rows.empty());
  ASSERT_EQ(without->dropped.entries().size(), 1U);
  EXPECT_THAT(without->dropped.entries()[0].reason, HasSubstr("--moe-k"));
  ImportOptions options;
  options.moe_k = 4096;
  const auto with = read_vllm(file, options);
  ASSERT_TRUE(with.ok());
  EXPECT_EQ(to_string(with->rows[0].problem), "bmm bf16 8x16x7168x4096 nt ld-aligned");
}

TEST(VllmJson, RefusesNamesThatDoNotSayWhatTheyMust) {
  expect_refused("configs.json", "{}", "the name does not say device and shape");
  expect_refused("N=64,device_name=X.json", "{}", "the name does not say");
  expect_refused("N=0,K=32,device_name=X.json", "{}", "the name does not say");
  expect_refused("N=64,K=99999999999,device_name=X.json", "{}", "the name does not say");
  expect_refused("N=64,K=32,device_name=.json", "{}", "the name does not say");
}

TEST(VllmJson, RefusesWhatIsWrongWithItsPlace) {
  expect_refused(kName, "[]", "a tuned file must be an object");
  expect_refused(kName, R"({"x": {}})", "\"x\" is no number of rows");
  expect_refused(kName, R"({"01": {}})", "\"01\" is no number of rows");
  expect_refused(kName, R"({"-1": {}})", "is no number of rows");
  expect_refused(kName, R"({"1": 2})", "line 1, column 7: a config must be an object");
  expect_refused(kName, R"({"1": {"BLOCK_SIZE_M": [1]}})", "cannot be an array");
  expect_refused(kName, R"({"1": {"BLOCK_SIZE_M": 1, "BLOCK_M": 2}})", "\"BLOCK_M\" is set twice");
  expect_refused(kName, R"({"1": {"a b": 1}})", "a parameter cannot be called \"a b\"");
  expect_refused(kName, R"({"triton_version": 3})", "\"triton_version\" must be a text");
}

TEST(VllmJson, DropsTypesThatTriodeDoesNotHave) {
  const auto table =
      read_vllm(SourceFile("N=64,K=32,device_name=X,dtype=int4_w4a16.json", R"({"1": {}})"), {});
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(table->dropped.count(), 1);
}

TEST(VllmJson, TakesTheToolchainOfSglangsFolders) {
  const auto toolchain = [](const std::string& folder) {
    const auto table = read_vllm(SourceFile(folder + kName, R"({"1": {"BLOCK_SIZE_M": 16}})"), {});
    return table.ok() ? table->rows.at(0).target.toolchain : table.status().message();
  };
  EXPECT_EQ(toolchain("configs/triton_3_1_0/"), "sglang triton 3.1.0");
  EXPECT_EQ(toolchain("configs/triton_kernels/"), "vllm");
  EXPECT_EQ(toolchain(""), "vllm");
}

// Its own reader refuses a file with two entries for one size.
TEST(VllmJson, WritesOneConfigForASize) {
  ExchangeTable table;
  for (const char* folder : {"triton_3_1_0/", "triton_3_2_0/"}) {
    const SourceFile file(folder + std::string(kName),
                          R"({"1": {"BLOCK_SIZE_M": 16}, "2": {"BLOCK_SIZE_M": 32}})");
    const auto read = read_vllm(file, {});
    ASSERT_TRUE(read.ok());
    table.rows.insert(table.rows.end(), read->rows.begin(), read->rows.end());
  }
  table.rows.push_back(table.rows[1]);
  DropList dropped;
  const auto files = write_vllm(table, dropped);
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(dropped.count(), 3);
  const auto again = read_vllm(SourceFile(files[0].name, files[0].bytes), {});
  ASSERT_TRUE(again.ok()) << again.status().message();
  EXPECT_EQ(again->rows.size(), 2U);
}

}  // namespace
}  // namespace triode::exchange
