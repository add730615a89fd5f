// SPDX-License-Identifier: Apache-2.0
#include "cache/exchange/triton_autotune.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/cache/exchange/golden_file.h"
#include "tests/core/status_matchers.h"

namespace triode::exchange {
namespace {

using ::testing::HasSubstr;

ImportOptions on_a100() {
  ImportOptions options;
  options.device = "A100";
  return options;
}

void expect_refused(const std::string& text, const std::string& message) {
  EXPECT_THAT(read_triton_autotune(SourceFile("k.autotune.json", text), on_a100()),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr(message)));
}

TEST(TritonAutotune, ReadsConfigsAndTheirQuantiles) {
  const auto table = read_triton_autotune(golden_file("matmul_kernel.autotune.json"), on_a100());
  ASSERT_TRUE(table.ok()) << table.status().message();
  EXPECT_EQ(to_string(table->rows[0].problem), "mm f16 4096x4096x1024 nn ld-aligned");
  EXPECT_EQ(to_string(table->rows[1].config),
            "triton block_k=32 block_m=64 block_n=32 group_m=8 maxnreg=128 num_ctas=1 "
            "num_stages=5 num_warps=2");
  EXPECT_DOUBLE_EQ(table->rows[0].measurement.median_ns, 0.0563e6);
  EXPECT_DOUBLE_EQ(table->rows[0].measurement.min_ns, 0.0553e6);
  EXPECT_EQ(table->rows[2].outcome.kind, OutcomeKind::kLaunchFailed);
  EXPECT_EQ(table->rows[2].measurement.count, 0);
}

TEST(TritonAutotune, AsksForTheDevice) {
  EXPECT_THAT(read_triton_autotune(golden_file("matmul_kernel.autotune.json"), {}),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("--device")));
}

TEST(TritonAutotune, RefusesWhatIsWrongWithItsPlace) {
  expect_refused(R"({"key": [1, 2], "configs_timings": []})", "the key must start with m, n and k");
  expect_refused(R"({"key": [1, 2, "a"], "configs_timings": []})", "the key must start with");
  expect_refused(R"({"key": [1, 2, -3], "configs_timings": []})", "a size in the key is -3");
  expect_refused(R"({"key": [1, 2, 3, "torch.int4"], "configs_timings": []})", "torch.int4");
  expect_refused(R"({"key": [1, 2, 3]})", "the field \"configs_timings\" is missing");
  expect_refused(R"({"key": [1, 2, 3], "configs_timings": [[{}, 1]]})", "\"kwargs\" is missing");
  expect_refused(R"({"key": [1, 2, 3], "configs_timings": [[{"kwargs": {}}]]})",
                 "expected a config and its times");
  expect_refused(R"({"key": [1, 2, 3], "configs_timings": [[{"kwargs": {}}, []]]})",
                 "expected at least one time");
  expect_refused(R"({"key": [1, 2, 3], "configs_timings": [[{"kwargs": {}}, [0]]]})",
                 "line 1, column 58: a time must be a number above zero");
  expect_refused(R"({"key": [1, 2, 3], "configs_timings": [[{"kwargs": {}}, [NaN]]]})",
                 "expected a JSON value");
  expect_refused(
      R"({"key": [1, 2, 3], "configs_timings": [[{"kwargs": {"BLOCK_M": 1, "BLOCK_SIZE_M": 1}}, 1]]})",
      "\"BLOCK_SIZE_M\" is set twice");
}

TEST(TritonAutotune, LeavesOutOtherKernelsThatLieInTheSameFolder) {
  ImportOptions options = on_a100();
  options.is_found = true;
  const SourceFile file("t/softmax.autotune.json", R"({"key": [1, "x"], "configs_timings": []})");
  const auto table = read_triton_autotune(file, options);
  ASSERT_TRUE(table.ok()) << table.status().message();
  EXPECT_TRUE(table->rows.empty());
  ASSERT_EQ(table->dropped.entries().size(), 1U);
  EXPECT_EQ(table->dropped.entries()[0].example, "t/softmax.autotune.json");
  const SourceFile cut("t/softmax.autotune.json", R"({"key": [1, "x"], "config)");
  EXPECT_FALSE(read_triton_autotune(cut, options).ok());
}

TEST(TritonAutotune, WritesTimingsOfOtherToolsInItsOwnTerms) {
  ExchangeTable table;
  ExchangeRow row;
  row.target.device = "H100";
  row.problem = Problem::mm(DType::kF16, 64, 32, 16);
  row.config.family = "triton";
  for (const char* name : {"block_m", "block_n", "block_k"}) row.config.set(name, int64_t{32});
  row.config.set("num_warps", int64_t{4});
  row.config.set("num_stages", int64_t{3});
  row.measurement = {2e6, 2e6, 0.25, 5};
  table.rows.push_back(row);
  DropList dropped;
  const auto files = write_triton_autotune(table, dropped);
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files[0].name, "H100,mm f16 64x32x16 nn.autotune.json");
  EXPECT_EQ(files[0].bytes,
            R"({"key": [64, 32, 16, "torch.float16", "torch.float16", "torch.float16"], )"
            R"("configs_timings": [[{"kwargs": {"BLOCK_SIZE_K": 32, "BLOCK_SIZE_M": 32, )"
            R"("BLOCK_SIZE_N": 32}, "num_warps": 4, "num_ctas": 1, "num_stages": 3, )"
            R"("maxnreg": null, "pre_hook": null, "ir_override": null}, [2.0, 1.5, 2.5]]]})");
  EXPECT_EQ(dropped.count(), 0);
}

}  // namespace
}  // namespace triode::exchange
