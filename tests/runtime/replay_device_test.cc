// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/replay_device.h"

#include <gtest/gtest.h>

#include "cache/exchange/recorded_timings.h"
#include "learner/model/device_traits.h"
#include "runtime/device/recorded_source.h"
#include "tests/core/status_matchers.h"

namespace triode {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kRecorded =
    "device,dataset,m,n,k,dtype_a,dtype_b,sa0,sa1,sb0,sb1,tf32,kind,block_m,block_n,block_k,"
    "num_stages,num_warps,nreps,n_nonfinite,med_ms,min_ms,max_ms\n"
    "A100,s,64,128,32,float16,float16,32,1,128,1,not_float_32,extern_mm,,,,,,3,0,0.2,0.19,0.21\n"
    "A100,s,64,128,32,float16,float16,32,1,128,1,not_float_32,triton,64,32,16,3,4,3,0,0.1,0.09,0."
    "12\n"
    "A100,s,64,128,32,float16,float16,32,1,128,1,not_float_32,triton,16,32,16,3,2,3,3,,,\n"
    "H100,s,64,64,32,float16,float16,32,1,64,1,not_float_32,triton,16,32,16,3,2,1,0,0.7,0.7,0.7\n";

class Replay : public ::testing::Test {
 protected:
  static std::shared_ptr<const ReplaySource> source(std::string_view device = "a100") {
    return *make_recorded_source(*parse_recorded_timings(kRecorded, ""), device);
  }
  ReplayDevice device{source(), 1};
  Problem problem = Problem::mm(DType::kF16, 64, 128, 32);
  Space space = *device.enumerate(problem);
  Config failed = space.enumerate()[0];
  Config works = space.enumerate()[1];
};

TEST_F(Replay, OffersTheConfigsThatWereTried) {
  EXPECT_EQ(space.count_legal(), 2u);
  Config other = works;
  other[0] = 16;
  EXPECT_THAT(*space.why_illegal(other), HasSubstr("not recorded"));
}

TEST_F(Replay, TimesWithinWhatWasRecorded) {
  const auto artifact = device.build(problem, works);
  ASSERT_TRUE(artifact.ok());
  for (int i = 0; i < 200; ++i) {
    const Result<PairMeasurement> pair = device.time(**artifact, {}, {}, {});
    ASSERT_TRUE(pair.ok());
    EXPECT_GE(pair->candidate.min_ns, 0.09e6);
    EXPECT_LE(pair->candidate.median_ns, 0.12e6);
    EXPECT_NEAR(pair->speedup, 2, 0.45);
    EXPECT_GT(pair->candidate.spread, 0);
  }
  EXPECT_EQ(device.timings(), 200u);
}

TEST_F(Replay, RepeatsToTheDigitUnderTheSameSeed) {
  ReplayDevice again(source(), 1), other(source(), 2);
  const auto artifact = device.build(problem, works);
  const auto first = device.time(**artifact, {}, {}, {});
  EXPECT_EQ(first->candidate, again.time(**artifact, {}, {}, {})->candidate);
  EXPECT_NE(first->candidate, other.time(**artifact, {}, {}, {})->candidate);
}

TEST_F(Replay, FailsAgainWhereItFailed) {
  EXPECT_THAT(device.build(problem, failed),
              FailsWith(StatusCode::kUnsupported, HasSubstr("compile-failed")));
}

TEST_F(Replay, KnowsNothingOfOtherProblems) {
  EXPECT_THAT(device.enumerate(Problem::mm(DType::kF16, 65, 128, 32)),
              FailsWith(StatusCode::kNotFound, HasSubstr("65x128x32")));
}

TEST_F(Replay, StopsWhenAsked) {
  TimingOptions options;
  options.should_stop = [] { return true; };
  const auto artifact = device.build(problem, works);
  EXPECT_THAT(device.time(**artifact, {}, {}, options),
              FailsWith(StatusCode::kUnavailable, HasSubstr("stopped")));
}

TEST_F(Replay, HasNoSpeedupWhereTheVendorWasNotTimed) {
  ReplayDevice hopper(source("h100"), 1);
  const Problem other = Problem::mm(DType::kF16, 64, 64, 32);
  const auto artifact = hopper.build(other, hopper.enumerate(other)->enumerate()[0]);
  const auto pair = hopper.time(**artifact, {}, {}, {});
  EXPECT_EQ(pair->vendor.count, 0);
  EXPECT_EQ(pair->speedup, 0);
  EXPECT_DOUBLE_EQ(pair->candidate.median_ns, 0.7e6);
}

TEST_F(Replay, IsATargetTheLearnerKnows) {
  const Result<DeviceTraits> traits = traits_of(device.target());
  ASSERT_TRUE(traits.ok());
  EXPECT_EQ(traits->name, "a100");
}

TEST(RecordedSource, OfADeviceThatWasNotRecordedNamesTheOthers) {
  EXPECT_THAT(make_recorded_source(*parse_recorded_timings(kRecorded, ""), "b200"),
              FailsWith(StatusCode::kNotFound, HasSubstr("a100, h100")));
}

}  // namespace
}  // namespace triode
