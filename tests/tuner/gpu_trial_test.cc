// SPDX-License-Identifier: Apache-2.0
// Trials on the virtual GPU beside the stand-in cuBLAS: test instruments. What NVRTC compiles is
// executed there.
#include "runtime/tuner/gpu_trial.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>

#include "jit/cuda/nvrtc_gemm.h"
#include "runtime/device/cuda_compiler.h"
#include "runtime/device/cuda_driver.h"
#include "runtime/device/cuda_program.h"
#include "runtime/device/cuda_target.h"
#include "runtime/host/gpu_flavour.h"
#include "runtime/host/loaded_object.h"
#include "runtime/host/raw_call.h"
#include "runtime/tuner/vendor_call.h"
#include "tests/core/status_matchers.h"

namespace triode::tuner {
namespace {

using host::GpuFlavour;
using ::testing::HasSubstr;

const CudaDeviceIdentity& virtual_gpu() {
  static const CudaDeviceIdentity identity =
      describe_cuda_device(*CudaDriver::load(TRIODE_VIRTUAL_DRIVER).value(), 0).value();
  return identity;
}

// A call of 12 x 10 by 10 x 11, column-major, whose columns have gaps between them; a batch has
// three.
VendorCall call_of(host::Symbol symbol, const GpuFlavour& flavour, const std::string& library) {
  constexpr int32_t kNotTransposed = 0;
  VendorCall call;
  call.symbol = host::traits_of(symbol).name;
  call.key.m = 12;
  call.key.n = 11;
  call.key.k = 10;
  call.key.lda = call.key.ldb = call.key.ldc = 16;
  if (call.symbol.find("Batched") != std::string::npos) {
    call.key.batch = 3;
    call.key.a_stride = call.key.b_stride = call.key.c_stride = 200;
  }
  call.key.traits =
      host::call_traits::of_spelling({encode(flavour), kNotTransposed, kNotTransposed}) |
      host::call_traits::of_scalars(2.0, 0.5) | host::call_traits::of_site(symbol, 0);
  void* const loaded = dlopen(library.c_str(), RTLD_NOW);
  const auto object = host::object_at(dlsym(loaded, call.symbol.c_str()));
  EXPECT_TRUE(object.has_value()) << library << ' ' << call.symbol;
  if (object) call.identity = object->identity();
  call.library = library;
  call.gpu_driver = TRIODE_VIRTUAL_DRIVER;
  call.gpu_device = virtual_gpu().uuid;
  return call;
}

BeginRequest request_of(VendorCall call) {
  return {std::move(call), virtual_gpu().target.fingerprint(), virtual_gpu().target.cores};
}

std::string compile(const VendorCall& call) {
  static const auto compiler = CudaCompiler::create({}).value();
  const Target& target = virtual_gpu().target;
  const Problem problem = problem_of(call).value();
  const Space space = compiler->space_of(target, problem).value();
  return to_bytes(compiler->compile(target, problem, space.enumerate(1).front()).value());
}

// The same program, with other arguments than the call's.
std::string with_arguments(const std::string& code,
                           const std::function<void(cuda::NvrtcGemmArguments&)>& change) {
  CudaProgram program = parse_cuda_program(code).value();
  std::string& bytes = program.launches[0].parameters;
  cuda::NvrtcGemmArguments arguments;
  std::memcpy(&arguments, bytes.data(), sizeof arguments);
  change(arguments);
  std::memcpy(bytes.data(), &arguments, sizeof arguments);
  return to_bytes(program);
}

TrialRequest request_for(const std::string& code, TrialPurpose purpose = TrialPurpose::kTry) {
  constexpr int64_t kRaceNs = 1'000'000;
  return {"a config", purpose, purpose == TrialPurpose::kRace ? kRaceNs : 0, code};
}

class GpuTrialTest : public ::testing::Test {
 protected:
  GpuTrialTest() { unsetenv("TRIODE_VGPU_FAULTS"); }
  ~GpuTrialTest() override { unsetenv("TRIODE_VGPU_FAULTS"); }

  void SetUp() override {
    auto begun = begin_gpu_trial(request_of(call_), 1);
    ASSERT_TRUE(begun.ok()) << begun.status().message();
    trial_ = std::move(begun).take();
    code_ = compile(call_);
  }

  TrialAnswer try_with(const std::function<void(cuda::NvrtcGemmArguments&)>& change) {
    return trial_->answer(request_for(with_arguments(code_, change)));
  }

  const VendorCall call_ = call_of(host::Symbol::k_cublasSgemm_v2,
                                   {DType::kF32, DType::kF32, Epilogue::kNone}, TRIODE_CUBLAS);
  std::unique_ptr<TrialSession> trial_;
  std::string code_;
};

TEST_F(GpuTrialTest, TriesAProgram) {
  const TrialAnswer answer = trial_->answer(request_for(code_));
  EXPECT_EQ(answer.outcome, OutcomeKind::kOk) << answer.reason;
  EXPECT_EQ(answer.code_digest, digest_of(code_));
  EXPECT_GT(answer.candidate.min_ns, 0);
  EXPECT_GT(trial_->vendor_ns(), 0);
}

TEST_F(GpuTrialTest, RacesAProgramAgainstCublas) {
  const TrialAnswer answer = trial_->answer(request_for(code_, TrialPurpose::kRace));
  EXPECT_EQ(answer.outcome, OutcomeKind::kOk) << answer.reason;
  EXPECT_GT(answer.vendor.median_ns, 0);
  EXPECT_GT(answer.speedup, 0);
}

TEST_F(GpuTrialTest, ChecksAProgramWithoutTimingIt) {
  const TrialAnswer answer = trial_->answer(request_for(code_, TrialPurpose::kCheck));
  EXPECT_EQ(answer.outcome, OutcomeKind::kOk) << answer.reason;
  EXPECT_EQ(answer.code_digest, digest_of(code_));
  EXPECT_EQ(answer.candidate.count, 0);
}

TEST_F(GpuTrialTest, FindsThatAProgramLeavesOutAProduct) {
  const TrialAnswer answer = try_with([](auto& x) { --x.k; });
  EXPECT_EQ(answer.outcome, OutcomeKind::kWrongResult);
  EXPECT_THAT(answer.reason, HasSubstr("the vendor has"));
  EXPECT_FALSE(answer.is_last);
}

TEST_F(GpuTrialTest, FindsThatAProgramReadsBetweenRows) {
  EXPECT_EQ(try_with([](auto& x) { ++x.k; }).outcome, OutcomeKind::kWrongResult);
}

TEST_F(GpuTrialTest, FindsThatAProgramWritesOutsideOfC) {
  // The problem is row-major: n is a row of c, with a gap behind it.
  const TrialAnswer answer = try_with([](auto& x) { ++x.n; });
  EXPECT_EQ(answer.outcome, OutcomeKind::kWrongResult);
  EXPECT_THAT(answer.reason, HasSubstr("outside of c"));
}

TEST_F(GpuTrialTest, EndsAfterAProgramThatMakesTheGpuFault) {
  const TrialAnswer answer = try_with([](auto& x) { x.lda = int64_t{1} << 40; });
  EXPECT_EQ(answer.outcome, OutcomeKind::kCrashed);
  EXPECT_THAT(answer.reason, HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS"));
  EXPECT_TRUE(answer.is_last);
}

TEST_F(GpuTrialTest, GoesOnAfterALaunchThatIsRefused) {
  setenv("TRIODE_VGPU_FAULTS", "cuLaunchKernel=701", 1);
  const TrialAnswer refused = trial_->answer(request_for(code_));
  EXPECT_EQ(refused.outcome, OutcomeKind::kLaunchFailed);
  EXPECT_THAT(refused.reason, HasSubstr("CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"));
  EXPECT_FALSE(refused.is_last);
  unsetenv("TRIODE_VGPU_FAULTS");
  EXPECT_EQ(trial_->answer(request_for(code_)).outcome, OutcomeKind::kOk);
}

TEST_F(GpuTrialTest, RefusesCodeThatDoesNotLoad) {
  CudaProgram program = parse_cuda_program(code_).value();
  program.launches[0].ptx = "nonsense";
  const TrialAnswer answer = trial_->answer(request_for(to_bytes(program)));
  EXPECT_EQ(answer.outcome, OutcomeKind::kCompileFailed);
  EXPECT_THAT(answer.reason, HasSubstr("CUDA_ERROR_INVALID_PTX"));
  EXPECT_EQ(trial_->answer(request_for("no program")).outcome, OutcomeKind::kCompileFailed);
}

TEST_F(GpuTrialTest, IsNotBegunOnAnotherGpuOrBesideAnotherLibrary) {
  BeginRequest other = request_of(call_);
  other.target = "another";
  EXPECT_THAT(begin_gpu_trial(other, 1), FailsWith(StatusCode::kUnsupported, HasSubstr("another")));
  other = request_of(call_);
  other.call.gpu_device = std::string(32, '0');
  EXPECT_EQ(begin_gpu_trial(other, 1).status().code(), StatusCode::kNotFound);
  other = request_of(call_);
  other.call.identity = "libcublas.so.13 0";
  EXPECT_THAT(begin_gpu_trial(other, 1),
              FailsWith(StatusCode::kUnsupported, HasSubstr("another library")));
}

TEST(LtVendor, TakesTheFastestAlgorithmThatTheLibraryProposes) {
  setenv("TRIODE_VGPU_VENDOR_MS", "1", 1);
  const VendorCall call = call_of(host::Symbol::k_cublasLtMatmul,
                                  {DType::kF16, DType::kF16, Epilogue::kNone}, TRIODE_CUBLAS_LT);
  const auto trial = begin_gpu_trial(request_of(call), 1);
  unsetenv("TRIODE_VGPU_VENDOR_MS");
  ASSERT_TRUE(trial.ok()) << trial.status().message();
  EXPECT_NEAR((*trial)->vendor_ns(), 0.5e6, 1e3);
}

struct SymbolCase {
  host::Symbol symbol;
  GpuFlavour flavour;
};

class EveryCublasSymbol : public ::testing::TestWithParam<SymbolCase> {};

// The vendor is called with the call's own arguments, or its result would not be that of ours.
TEST_P(EveryCublasSymbol, IsCalledAsTheProgramDoes) {
  unsetenv("TRIODE_VGPU_FAULTS");
  const bool is_lt = GetParam().symbol == host::Symbol::k_cublasLtMatmul;
  const VendorCall call =
      call_of(GetParam().symbol, GetParam().flavour, is_lt ? TRIODE_CUBLAS_LT : TRIODE_CUBLAS);
  auto trial = begin_gpu_trial(request_of(call), 1);
  ASSERT_TRUE(trial.ok()) << trial.status().message();
  const TrialAnswer answer = (*trial)->answer(request_for(compile(call), TrialPurpose::kCheck));
  EXPECT_EQ(answer.outcome, OutcomeKind::kOk) << answer.reason;
}

constexpr GpuFlavour kSingles{DType::kF32, DType::kF32, Epilogue::kNone};
constexpr GpuFlavour kDoubles{DType::kF64, DType::kF64, Epilogue::kNone};
constexpr GpuFlavour kHalves{DType::kF16, DType::kF16, Epilogue::kNone};
constexpr GpuFlavour kHalvesToSingles{DType::kF16, DType::kF32, Epilogue::kNone};
constexpr GpuFlavour kBrainHalves{DType::kBF16, DType::kBF16, Epilogue::kNone};

INSTANTIATE_TEST_SUITE_P(
    GpuTrial, EveryCublasSymbol,
    ::testing::Values(SymbolCase{host::Symbol::k_cublasGemmEx, kHalvesToSingles},
                      SymbolCase{host::Symbol::k_cublasSgemm_v2, kSingles},
                      SymbolCase{host::Symbol::k_cublasDgemm_v2, kDoubles},
                      SymbolCase{host::Symbol::k_cublasHgemm, kHalves},
                      SymbolCase{host::Symbol::k_cublasSgemmEx, kBrainHalves},
                      SymbolCase{host::Symbol::k_cublasGemmStridedBatchedEx, kBrainHalves},
                      SymbolCase{host::Symbol::k_cublasSgemmStridedBatched, kSingles},
                      SymbolCase{host::Symbol::k_cublasDgemmStridedBatched, kDoubles},
                      SymbolCase{host::Symbol::k_cublasHgemmStridedBatched, kHalves},
                      SymbolCase{host::Symbol::k_cublasLtMatmul, kHalves}),
    [](const auto& each) { return std::string(host::traits_of(each.param.symbol).name); });

}  // namespace
}  // namespace triode::tuner
