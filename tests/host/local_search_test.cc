// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/local_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "runtime/device/cpu_device.h"
#include "tests/core/status_matchers.h"
#include "tests/reference/reference_gemm.h"
#include "tests/runtime/fake_device.h"

namespace triode {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int kRaces = 3;
constexpr int kRounds = 5;  // of a FakeDevice's race

const auto kNever = [] { return false; };

// The fake device's fastest config, x = 7 and y = 3, takes 1 us.
class LocalSearchTest : public ::testing::Test {
 protected:
  LocalSearchTest() {
    options.starts = [](const Space& space, const Problem&) { return space.enumerate(1); };
    set_vendor_time(microseconds(2));
  }

  void set_vendor_time(microseconds time) {
    request.vendor_kernel = [this, time](const Operands& operands) {
      ++vendor_calls;
      reference_gemm(request.problem, operands);
      clock.advance(time);
    };
  }

  Result<std::optional<FoundPlan>> find() {
    return LocalSearch(device, options, clock).find(request, should_stop);
  }

  FakeClock clock;
  FakeDevice device{clock};
  LocalSearchOptions options;
  int vendor_calls = 0;
  TuningRequest request{Problem::mm(DType::kF32, 4, 5, 6), "libfake.so sgemm", {}};
  std::function<bool()> should_stop = kNever;
};

TEST_F(LocalSearchTest, FindsTheFastestConfigAndItsFigures) {
  const std::optional<FoundPlan> plan = find().take();
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->config_text, "x=7 y=3 threads=1 split=0");
  EXPECT_EQ(plan->config, device.enumerate(request.problem)->parse(plan->config_text).take());
  EXPECT_EQ(plan->code_digest, 703u);
  EXPECT_DOUBLE_EQ(plan->speedup, 2);
  EXPECT_DOUBLE_EQ(plan->spread, 0);
  EXPECT_DOUBLE_EQ(plan->vendor_ns, 2000);
  EXPECT_DOUBLE_EQ(plan->plan_ns, 1000);
}

TEST_F(LocalSearchTest, LeavesTheVendorWhereNothingIsFaster) {
  set_vendor_time(microseconds(1));
  EXPECT_EQ(find().take(), std::nullopt);
}

TEST_F(LocalSearchTest, RacesNothingThatIsMuchSlower) {
  device.wrong_x = {7};  // the rest take 2 us at least
  set_vendor_time(microseconds(1));
  EXPECT_EQ(find().take(), std::nullopt);
  EXPECT_THAT(device.timed, IsEmpty());
}

TEST_F(LocalSearchTest, RacesTheFirstFinalistsAndTheWinnerAgain) {
  find().take();
  ASSERT_THAT(device.timed, SizeIs(kRaces + 1));
  EXPECT_EQ(device.timed.back(), device.timed.front());
}

TEST_F(LocalSearchTest, LeavesTheVendorWhereTheGainIsTooSmall) {
  options.min_speedup = 2.01;
  EXPECT_EQ(find().take(), std::nullopt);
  options.min_speedup = 2;
  EXPECT_TRUE(find().take().has_value());
}

TEST_F(LocalSearchTest, LeavesTheVendorWhereTheGainIsWithinTheNoise) {
  request.vendor_kernel = [this](const Operands& operands) {
    reference_gemm(request.problem, operands);
    clock.advance(microseconds(++vendor_calls % 2 == 0 ? 1 : 3));
  };
  EXPECT_EQ(find().take(), std::nullopt);
}

TEST_F(LocalSearchTest, LeavesTheVendorWhereTheGainDoesNotComeTwice) {
  constexpr int kCallsBeforeTheRaces = 2;
  request.vendor_kernel = [this](const Operands& operands) {
    reference_gemm(request.problem, operands);
    const bool is_raced_first = ++vendor_calls <= kCallsBeforeTheRaces + kRaces * kRounds;
    clock.advance(microseconds(is_raced_first ? 2 : 1));
  };
  EXPECT_EQ(find().take(), std::nullopt);
  EXPECT_THAT(device.timed, SizeIs(kRaces + 1));
}

TEST_F(LocalSearchTest, NeverFindsAConfigWithAWrongResult) {
  device.wrong_x = {6, 7, 8};
  set_vendor_time(microseconds(20));
  const std::optional<FoundPlan> plan = find().take();
  ASSERT_TRUE(plan.has_value());
  EXPECT_TRUE(plan->config[0] == 5 || plan->config[0] == 9) << plan->config_text;
}

TEST_F(LocalSearchTest, FindsNothingWhereEveryResultIsWrong) {
  for (int32_t x = 0; x < 16; ++x) device.wrong_x.insert(x);
  EXPECT_THAT(find(), FailsWith(StatusCode::kUnsupported, HasSubstr("wrong-result")));
  EXPECT_THAT(device.timed, IsEmpty());
}

TEST_F(LocalSearchTest, FindsNothingAgainstAVendorThatWritesNothing) {
  request.vendor_kernel = [this](const Operands&) { clock.advance(microseconds(5)); };
  EXPECT_THAT(find(), FailsWith(StatusCode::kUnsupported, HasSubstr("wrong-result")));
}

TEST_F(LocalSearchTest, EndsNearItsBudget) {
  options.budget = milliseconds(20);
  find().take();
  EXPECT_LT(clock.now(), milliseconds(21));
}

TEST_F(LocalSearchTest, TakesNoMoreConfigsThanItsBudgetAllowsWhereCallsAreLong) {
  options.starts = [](const Space& space, const Problem&) { return space.enumerate(64); };
  options.budget = microseconds(40);
  options.least_calls = 0;
  set_vendor_time(microseconds(20));
  find().take();
  EXPECT_LE(device.built.size(), 1u + kRaces);
}

TEST_F(LocalSearchTest, RaisesItsBudgetToSomeOfTheVendorsCalls) {
  options.budget = microseconds(40);
  options.least_calls = 100;
  set_vendor_time(microseconds(200));
  find().take();
  EXPECT_GT(clock.now(), milliseconds(10));
  EXPECT_LT(clock.now(), milliseconds(25));
}

TEST_F(LocalSearchTest, StopsBeforeItBegins) {
  should_stop = [] { return true; };
  EXPECT_THAT(find(), FailsWith(StatusCode::kUnavailable, HasSubstr("stopped")));
  EXPECT_EQ(vendor_calls, 0);
}

TEST_F(LocalSearchTest, StopsBetweenConfigs) {
  should_stop = [this] { return device.built.size() >= 3; };
  EXPECT_THAT(find(), FailsWith(StatusCode::kUnavailable, HasSubstr("stopped")));
  EXPECT_THAT(device.built, SizeIs(3));
}

TEST_F(LocalSearchTest, StopsBetweenRaces) {
  should_stop = [this] { return !device.timed.empty(); };
  EXPECT_THAT(find(), FailsWith(StatusCode::kUnavailable, HasSubstr("stopped")));
  EXPECT_THAT(device.timed, SizeIs(1));
}

TEST_F(LocalSearchTest, StopsWithinARace) {
  int calls_before = 0;
  should_stop = [&] {
    if (device.timed.empty()) calls_before = vendor_calls;
    return vendor_calls > calls_before;
  };
  EXPECT_THAT(find(), FailsWith(StatusCode::kUnavailable, HasSubstr("stopped")));
  EXPECT_EQ(vendor_calls, calls_before + 1);
}

TEST_F(LocalSearchTest, StopsBeforeItTimesTheVendor) {
  should_stop = [this] { return vendor_calls > 0; };
  EXPECT_THAT(find(), FailsWith(StatusCode::kUnavailable, HasSubstr("stopped")));
  EXPECT_EQ(vendor_calls, 1);
}

TEST_F(LocalSearchTest, StopsBeforeTheLastRace) {
  should_stop = [this] { return device.timed.size() == kRaces; };
  EXPECT_THAT(find(), FailsWith(StatusCode::kUnavailable, HasSubstr("stopped")));
}

TEST_F(LocalSearchTest, NeedsNobodyToStopIt) {
  should_stop = nullptr;
  EXPECT_TRUE(find().take().has_value());
}

TEST_F(LocalSearchTest, MakesTheSameChoicesForTheSameSeed) {
  options.budget = milliseconds(10);
  find().take();
  const std::vector<Config> first = std::exchange(device.built, {});
  find().take();
  EXPECT_EQ(device.built, first);
}

TEST_F(LocalSearchTest, TriesOtherConfigsForAnotherSeed) {
  options.budget = milliseconds(10);
  find().take();
  const std::vector<Config> first = std::exchange(device.built, {});
  options.seed = 2;
  find().take();
  EXPECT_NE(device.built, first);
}

TEST_F(LocalSearchTest, BeginsOnAllThreadsAndOnOne) {
  request.problem.threads = 9;  // the device has 4
  find().take();
  ASSERT_GE(device.built.size(), 4u);
  EXPECT_THAT((std::vector<int32_t>{device.built[0][2], device.built[1][2], device.built[2][2]}),
              Each(4));
  EXPECT_EQ(device.built[3][2], 1);
}

TEST_F(LocalSearchTest, LeavesProblemsWithoutAProductToTheVendor) {
  for (const char* text : {"mm f32 0x4x4 nn", "mm f32 4x4x0 nn", "mm f32 4x4x4 nn alpha=0"}) {
    request.problem = parse_problem(text).take();
    EXPECT_EQ(find().take(), std::nullopt) << text;
  }
  EXPECT_THAT(device.built, IsEmpty());
}

TEST_F(LocalSearchTest, LeavesProblemsOfMoreThanAGibibyteToTheVendor) {
  request.problem = parse_problem("mm f32 1x1x1 nn ld=1,1,268435456").take();
  EXPECT_EQ(find().take(), std::nullopt);
  EXPECT_EQ(vendor_calls, 0);
}

TEST_F(LocalSearchTest, RefusesAProblemThatIsNotValidAndAVendorThatIsNotThere) {
  request.problem.m = -1;
  EXPECT_THAT(find(), FailsWith(StatusCode::kInvalidArgument, HasSubstr("m is -1")));
  request.problem.m = 4;
  request.vendor_kernel = nullptr;
  EXPECT_THAT(find(), FailsWith(StatusCode::kInvalidArgument, HasSubstr("no vendor's kernel")));
}

// c = alpha * op(a) op(b) + beta * c by three plain loops.
template <typename T>
void multiply_plainly(const Problem& p, const Operands& operands) {
  const auto* const a = static_cast<const T*>(operands.a);
  const auto* const b = static_cast<const T*>(operands.b);
  auto* const c = static_cast<T*>(operands.c);
  for (int64_t i = 0; i < p.m; ++i) {
    for (int64_t j = 0; j < p.n; ++j) {
      T sum = 0;
      for (int64_t k = 0; k < p.k; ++k) sum += a[i * p.lda + k] * b[k * p.ldb + j];
      c[i * p.ldc + j] = sum;
    }
  }
}

class LocalSearchOnCpu : public ::testing::Test {
 protected:
  void SetUp() override {
    CpuDeviceOptions options;
    options.cores = 2;
    auto made = CpuDevice::create(options);
    if (!made.ok()) GTEST_SKIP() << made.status().message();
    device = std::move(made).take();
  }

  Result<std::optional<FoundPlan>> find(const Problem& problem, const VendorKernel& vendor) {
    LocalSearchOptions options;
    options.budget = milliseconds(60);
    options.least_calls = 0;
    return LocalSearch(*device, options, steady_clock()).find({problem, "plain", vendor}, kNever);
  }

  std::unique_ptr<CpuDevice> device;
};

TEST_F(LocalSearchOnCpu, BeatsAPlainLoop) {
  const Problem problem = Problem::mm(DType::kF32, 96, 80, 64);
  const std::optional<FoundPlan> plan = find(problem, [&problem](const Operands& operands) {
                                          multiply_plainly<float>(problem, operands);
                                        }).take();
  ASSERT_TRUE(plan.has_value());
  EXPECT_GT(plan->speedup, 1.03);
  EXPECT_LT(plan->plan_ns, plan->vendor_ns);
  EXPECT_EQ(device->build(problem, plan->config).take()->digest(), plan->code_digest);
}

TEST_F(LocalSearchOnCpu, FindsPlansForProblemsOfAllKinds) {
  for (const char* text :
       {"mm f64 24x20x32 tn", "mm f32 24x20x32 nt ld=40,41,42 align=4 alpha=other beta=other",
        "bmm f32 3x24x20x32 nn strides=768,0,600 beta=1", "mm f32 96x80x64 nn threads=2"}) {
    const Problem problem = parse_problem(text).take();
    const auto plan =
        find(problem, [&problem](const Operands& operands) { reference_gemm(problem, operands); });
    ASSERT_TRUE(plan.ok()) << text << ": " << plan.status().to_string();
    EXPECT_TRUE(plan->has_value()) << text;
  }
}

}  // namespace
}  // namespace triode
