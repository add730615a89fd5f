// SPDX-License-Identifier: Apache-2.0
#include "cache/exchange/timings_csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/cache/exchange/golden_file.h"
#include "tests/core/status_matchers.h"

namespace triode::exchange {
namespace {

using ::testing::HasSubstr;

void expect_refused(const std::string& piece, const std::string& replacement,
                    const std::string& message) {
  std::string text(golden_file("timings.csv").bytes());
  const size_t at = text.find(piece);
  ASSERT_NE(at, std::string::npos) << piece;
  text.replace(at, piece.size(), replacement);
  EXPECT_THAT(read_timings(SourceFile("t.csv", text), {}),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr(message)));
}

TEST(TimingsCsv, ReadsLayoutsKindsAndFailures) {
  const auto table = read_timings(golden_file("timings.csv"), {});
  ASSERT_TRUE(table.ok()) << table.status().message();
  EXPECT_EQ(to_string(table->rows[0].config), "vendor name=extern_mm");
  EXPECT_EQ(to_string(table->rows[1].problem), "mm f16 1920x1280x1024 tn ld-aligned");
  EXPECT_EQ(table->rows[1].measurement.count, 3);
  EXPECT_EQ(table->rows[2].outcome.kind, OutcomeKind::kLaunchFailed);
  EXPECT_EQ(to_string(table->rows[2].problem), "mm f32 1408x732x8064 nt");
  EXPECT_EQ(table->rows[3].problem.a_type, DType::kTF32);
  EXPECT_EQ(table->rows[3].problem.ldb, 800);
}

TEST(TimingsCsv, ReadsAWholeSpace) {
  ImportOptions options;
  options.device = "A100";
  const auto table = read_timings(golden_file("full_space.csv"), options);
  ASSERT_TRUE(table.ok()) << table.status().message();
  EXPECT_EQ(table->rows[0].config.number_or("group_m", 0), 8);
  EXPECT_FALSE(table->rows[1].outcome.ok());
  EXPECT_THAT(read_timings(golden_file("full_space.csv"), {}),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("--device")));
}

TEST(TimingsCsv, RefusesWhatIsWrongWithItsLine) {
  expect_refused("device,dataset", "devices,dataset", "neither of the headers known here");
  expect_refused("A100,ours,1920", "A100,ours,x", "t.csv, line 2: m is \"x\"");
  expect_refused("A100,ours,1920", "A100,ours,0", "m is \"0\"");
  expect_refused("A100,ours,1920", "A100,ours,1,1920", "expected 23 fields, found 24");
  expect_refused("float16,float16", "float12,float16", "a type that Triode does not have");
  expect_refused("extern_mm", "cutlass", "the kind is \"cutlass\"");
  expect_refused("0.0264,0.026336", "0.0264,0.03", "not in order");
  expect_refused("0.0264,", ",", "med_ms is \"\"");
  expect_refused("1024,1,1280,1", "3,1,1280,1", "strides that are not those of a matrix");
  expect_refused("not_float_32", "perhaps", "tf32 must be");
  expect_refused("A100,ours", "\"A100\",ours", "a quote");
}

}  // namespace
}  // namespace triode::exchange
