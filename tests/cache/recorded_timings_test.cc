// SPDX-License-Identifier: Apache-2.0
#include "cache/exchange/recorded_timings.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <string>

#include "tests/core/status_matchers.h"
#include "tests/runtime/temporary_folder.h"

namespace triode {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kLong =
    "device,dataset,m,n,k,dtype_a,dtype_b,sa0,sa1,sb0,sb1,tf32,kind,block_m,block_n,block_k,"
    "num_stages,num_warps,nreps,n_nonfinite,med_ms,min_ms,max_ms\n"
    "A100,set,64,128,32,float16,float16,32,1,128,1,not_float_32,extern_mm,,,,,,3,0,0.2,0.19,0.3\n"
    "A100,set,64,128,32,float16,float16,32,1,128,1,not_float_32,triton,64,32,16,3,4,3,0,0.4,0.3,0."
    "5\n"
    "A100,set,64,128,32,float16,float16,32,1,128,1,not_float_32,triton,16,32,16,3,2,3,3,,,\n"
    "A100,set,64,128,32,float32,float32,1,70,1,32,True,triton,16,32,16,3,2,1,0,0.7,0.7,0.7\n";

constexpr std::string_view kShort =
    "m,n,k,block_m,block_n,block_k,group_m,num_stages,num_warps,ok,ms,compile_s\n"
    "64,64,64,32,32,32,8,3,4,1,0.5,1.0\n"
    "64,64,64,16,32,32,4,3,4,1,0.25,1.0\n"
    "64,64,64,128,32,32,4,3,4,0,,1.0\n";

TEST(RecordedTimings, HoldTrialsFailuresAndTheVendor) {
  const Result<RecordedTimings> timings = parse_recorded_timings(kLong, "");
  ASSERT_TRUE(timings.ok()) << timings.status().to_string();
  EXPECT_EQ(timings->family, KernelFamily::kInductor);
  ASSERT_EQ(timings->problems.size(), 2u);
  const RecordedProblem& first = timings->problems[0];
  EXPECT_EQ(first.device, "a100");
  EXPECT_EQ(first.dataset, "set");
  EXPECT_EQ(first.problem, Problem::mm(DType::kF16, 64, 128, 32));
  ASSERT_TRUE(first.has_vendor);
  EXPECT_DOUBLE_EQ(first.vendor.median_s, 0.2e-3);
  ASSERT_EQ(first.trials.size(), 2u);
  // By config, not by line or time.
  EXPECT_EQ(timings->space.to_string(first.trials[0].config),
            "block_m=16 block_n=32 block_k=16 group_m=8 num_stages=3 num_warps=2");
  EXPECT_EQ(first.trials[0].outcome.kind, OutcomeKind::kCompileFailed);
  EXPECT_DOUBLE_EQ(first.trials[1].time.max_s, 0.5e-3);
  EXPECT_EQ(first.trials[1].time.repeats, 3);
}

TEST(RecordedTimings, ReadStridesAsTransposesAndLeadingDimensions) {
  const Result<RecordedTimings> timings = parse_recorded_timings(kLong, "");
  const Problem& problem = timings->problems[1].problem;
  EXPECT_TRUE(problem.a_transposed);
  EXPECT_EQ(problem.lda, 70);
  EXPECT_TRUE(problem.b_transposed);
  EXPECT_EQ(problem.ldb, 32);
  EXPECT_EQ(problem.a_type, DType::kTF32);
}

TEST(RecordedTimings, OfTheShortFormAreHalfPrecisionOnTheDeviceGiven) {
  const Result<RecordedTimings> timings = parse_recorded_timings(kShort, "A100");
  ASSERT_TRUE(timings.ok()) << timings.status().to_string();
  EXPECT_EQ(timings->family, KernelFamily::kTriton);
  EXPECT_EQ(timings->problems[0].device, "a100");
  EXPECT_EQ(timings->problems[0].problem, Problem::mm(DType::kF16, 64, 64, 64));
  EXPECT_FALSE(timings->problems[0].has_vendor);
  ASSERT_EQ(timings->problems[0].trials.size(), 3u);
  EXPECT_DOUBLE_EQ(timings->problems[0].trials[0].time.median_s, 0.25e-3);
  EXPECT_FALSE(timings->problems[0].trials[2].outcome.ok());
}

TEST(RecordedTimings, AreTheSameFromACompressedFile) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "t.csv.gz").string();
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, kShort.data(), static_cast<unsigned>(kShort.size()));
  gzclose(file);
  const Result<RecordedTimings> timings = read_recorded_timings(path, "h100");
  ASSERT_TRUE(timings.ok()) << timings.status().to_string();
  EXPECT_EQ(timings->digest, parse_recorded_timings(kShort, "a100")->digest);
  EXPECT_EQ(timings->problems[0].device, "h100");
}

// A Dataset of diode: two configs of one shape, then a kernel without a tile.
constexpr std::string_view kDiode =
    R"json({"hardware": {"NVIDIA H100": {"operation": {"mm": {"solution": {
"{\"version\": 1, \"B\": 1, \"M\": 32, \"M_dtype\": \"float32\", \"N\": 48, \"K\": 64, \"K_dtype\": \"float32\", \"out_dtype\": \"float32\", \"out_size\": [1, 32, 48], \"out_stride\": [1536, 48, 1]}":
{"timed_configs": [
{"config": {"name": "a", "grid": 1, "block_m": 64, "block_n": 32, "block_k": 16, "group_m": 4, "num_stages": 3, "num_warps": 4}, "time": 0.5, "version": 1},
{"config": {"name": "a", "grid": 1, "block_m": 64, "block_n": 32, "block_k": 16, "group_m": 8, "num_stages": 3, "num_warps": 4, "ALLOW_TF32": true}, "time": 0.25, "version": 1},
{"config": {"name": "mm", "grid": 1, "block_m": 0, "block_n": 0, "block_k": 0, "group_m": 0, "num_stages": 0, "num_warps": 0}, "time": 0.125, "version": 1}
], "version": 1}}, "version": 1}}, "version": 1}}, "version": 1})json";

TEST(RecordedTimings, AreReadFromADatasetOfDiode) {
  const Result<RecordedTimings> timings = parse_recorded_timings(kDiode, "");
  ASSERT_TRUE(timings.ok()) << timings.status().to_string();
  EXPECT_EQ(timings->family, KernelFamily::kInductor);
  ASSERT_EQ(timings->problems.size(), 2u);  // what may be computed in tf32 is another problem
  EXPECT_EQ(timings->problems[0].device, "nvidia h100");
  EXPECT_EQ(timings->problems[0].problem.a_type, DType::kF32);
  EXPECT_EQ(timings->problems[0].problem.n, 48);
  ASSERT_EQ(timings->problems[0].trials.size(), 1u);  // without the kernel that has no tile
  EXPECT_DOUBLE_EQ(timings->problems[0].trials[0].time.median_s, 0.5e-3);
  EXPECT_EQ(timings->space.to_string(timings->problems[0].trials[0].config),
            "block_m=64 block_n=32 block_k=16 group_m=4 num_stages=3 num_warps=4");
  EXPECT_EQ(timings->problems[1].problem.a_type, DType::kTF32);
}

TEST(RecordedTimings, OfATableOrAnotherJsonAreRefused) {
  EXPECT_THAT(parse_recorded_timings(R"({"shapes": []})", ""),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("diode's ShapeSet")));
  EXPECT_THAT(parse_recorded_timings(R"({"hardware": {}, "version": 1})", ""),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("no timing of a Triton config")));
}

TEST(RecordedTimings, WithoutADeviceAreAnError) {
  EXPECT_THAT(
      parse_recorded_timings(kShort, ""),
      FailsWith(StatusCode::kInvalidArgument, HasSubstr("line 1: no column names the device")));
}

TEST(RecordedTimings, NameTheLineThatIsWrong) {
  EXPECT_THAT(
      parse_recorded_timings(std::string(kShort) + "1,2,x,16,32,32,4,3,4,1,0.25,1\n", "a100"),
      FailsWith(StatusCode::kInvalidArgument, HasSubstr("line 5: k is \"x\"")));
  EXPECT_THAT(
      parse_recorded_timings(std::string(kShort) + "1,2,3\n", "a100"),
      FailsWith(StatusCode::kInvalidArgument, HasSubstr("line 5: expected 12 fields, found 3")));
  EXPECT_THAT(parse_recorded_timings(std::string(kShort) + "1,2,3,16,32,32,4,3,4,1,-1,1\n", "a100"),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("line 5: ms is \"-1\"")));
}

TEST(RecordedTimings, OfAnotherFormAreRefused) {
  EXPECT_THAT(parse_recorded_timings("a,b\n1,2\n", "a100"),
              FailsWith(StatusCode::kInvalidArgument,
                        HasSubstr("line 1: the first line is neither of the headers")));
  EXPECT_THAT(read_recorded_timings("/nonexistent.csv", "a100"),
              FailsWith(StatusCode::kNotFound, HasSubstr("/nonexistent.csv")));
}

}  // namespace
}  // namespace triode
