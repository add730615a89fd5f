// SPDX-License-Identifier: Apache-2.0
#include "cache/exchange/tunableop_csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/cache/exchange/golden_file.h"
#include "tests/core/status_matchers.h"

namespace triode::exchange {
namespace {

using ::testing::HasSubstr;

Result<ExchangeTable> read(const std::string& lines, const ImportOptions& options = {}) {
  return read_tunableop(SourceFile("r.csv", "Validator,GCN_ARCH_NAME,gfx942\n" + lines), options);
}

TEST(TunableopCsv, ReadsTheProblemsBehindColumnMajorCalls) {
  const auto table = read_tunableop(golden_file("tunableop_results.csv"), {});
  ASSERT_TRUE(table.ok()) << table.status().message();
  // Column-major m=25088 n=4096 k=64 "nt" is row-major 4096 x 25088 with a transposed, b not.
  EXPECT_EQ(to_string(table->rows[0].problem), "mm f32 4096x25088x64 tn ld-aligned");
  EXPECT_EQ(to_string(table->rows[1].problem), "mm bf16 256x512x4096 nt ld-aligned");
  EXPECT_EQ(to_string(table->rows[2].problem), "addmm f32 32x768x1024 nt ld-aligned epilogue=bias");
  EXPECT_EQ(to_string(table->rows[3].problem), "bmm f16 12x128x64x96 nn ld-aligned");
  EXPECT_EQ(to_string(table->rows[4].problem),
            "mm f8e4m3,f8e4m3,bf16,f32 16x1024x2048 nt ld-aligned");
}

TEST(TunableopCsv, TakesDeviceAndToolchainFromTheValidators) {
  const auto table = read_tunableop(golden_file("tunableop_results.csv"), {});
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(table->rows[0].target.device, "gfx942:sramecc+:xnack-");
  EXPECT_THAT(table->rows[0].target.toolchain, HasSubstr("PT_VERSION=2.4.0;ROCM_VERSION="));
  EXPECT_EQ(to_string(table->rows[0].config), "tunableop solution=Gemm_Hipblaslt_1219");
  EXPECT_DOUBLE_EQ(table->rows[0].measurement.median_ns, 1.262e6);
  EXPECT_EQ(table->rows[5].measurement.count, 0);
}

TEST(TunableopCsv, RefusesWhatIsWrongWithItsLine) {
  const auto refuses = [](const std::string& lines, const std::string& message) {
    EXPECT_THAT(read(lines), FailsWith(StatusCode::kInvalidArgument, HasSubstr(message)));
  };
  refuses("GemmTunableOp_float_NT,nt_1_2_3,S,fast\n", "r.csv, line 2: the time is \"fast\"");
  refuses("GemmTunableOp_float_NT,nt_1_2_3,S,-1\n", "above zero");
  refuses("GemmTunableOp_float_NT,nt_1_2_3,S,nan\n", "above zero");
  refuses("GemmTunableOp_float_NT,nt_1_2_3,S,1e999\n", "above zero");
  refuses("GemmTunableOp_float_NT,nt_1_2,S,1\n", "are not the parameters of a TunableOp");
  refuses("GemmTunableOp_float_NT,nt_1_2_3_4,S,1\n", "are not the parameters of a TunableOp");
  refuses("GemmTunableOp_float_NT,nt_1_2_3_ld_0_2_1,S,1\n", "expected at least that");
  refuses("GemmTunableOp_float_NT,nt_99999999999_2_3,S,1\n", "are not the parameters");
  refuses("SomethingElse_float_NT,nt_1_2_3,S,1\n", "is not the signature of a TunableOp");
  refuses("GemmTunableOp_float_NT,nt_1_2_3\n", "expected operation, parameters, solution");
  refuses("GemmTunableOp_float_NT,nt_1_2_3,,1\n", "the solution has no name");
  refuses("GemmTunableOp_float_NT,nt_1_2_3,S,1\r\n", "a carriage return");
  refuses("GemmTunableOp_float_NT,nt_1_2_3,\xff,1\n", "not UTF-8");
  refuses("GemmTunableOp_float_NT,nt_1_2_3,S,1", "the file ends in the middle of a line");
  refuses("Validator,A\n", "expected \"Validator,NAME,VALUE\"");
}

TEST(TunableopCsv, RefusesAFileOfAnotherKind) {
  EXPECT_THAT(read_tunableop(SourceFile("r.csv", "a,b,c,1\n"), {}),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("not the signature")));
  EXPECT_THAT(read_tunableop(SourceFile("r.csv", ""), {}),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("not a TunableOp results file")));
}

TEST(TunableopCsv, AsksForTheDeviceWhereNoValidatorNamesIt) {
  const SourceFile file("r.csv", "Validator,PT_VERSION,2.2\nGemmTunableOp_float_NN,nn_1_2_3,S,1\n");
  EXPECT_THAT(read_tunableop(file, {}),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("--device")));
  ImportOptions options;
  options.device = "MI300X";
  const auto table = read_tunableop(file, options);
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(table->rows[0].target.device, "MI300X");
}

TEST(TunableopCsv, DropsTypesAndWildcardsThatTriodeDoesNotHave) {
  const auto table = read(
      "GemmTunableOp_c10::complex<float>_NN,nn_1_2_3,S,1\n"
      "GemmTunableOp_float_NN,nn_*_2_3,S,1\n"
      "GemmTunableOp_float_NN,nn_1_2_3,S,1\n");
  ASSERT_TRUE(table.ok()) << table.status().message();
  EXPECT_EQ(table->rows.size(), 1U);
  EXPECT_EQ(table->dropped.count(), 2);
}

TEST(TunableopCsv, WritesOneSetOfValidatorsAndListsTheRest) {
  auto table = read("GemmTunableOp_float_NN,nn_1_2_3,S,1\nGemmTunableOp_float_NN,nn_1_2_4,S,1\n");
  ASSERT_TRUE(table.ok());
  table->rows[1].target.toolchain = "PT_VERSION=9";
  DropList dropped;
  EXPECT_EQ(write_tunableop(*table, dropped),
            "Validator,GCN_ARCH_NAME,gfx942\nGemmTunableOp_float_NN,nn_1_2_3,S,1\n");
  ASSERT_EQ(dropped.entries().size(), 1U);
  EXPECT_THAT(dropped.entries()[0].reason, HasSubstr("other validators"));
}

}  // namespace
}  // namespace triode::exchange
