// SPDX-License-Identifier: Apache-2.0
#include "jit/cuda/nvrtc_compiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>

#include "tests/core/status_matchers.h"

namespace triode::cuda {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

const CudaSource kSaxpy = {R"(
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = SCALE * a * x[i] + y[i];
})",
                           "saxpy.cu"};
const std::array<std::string, 1> kScale = {"--define-macro=SCALE=2.0f"};

// Loaded once: the library is large, and lives as long as the process whatever is done.
const NvrtcCompiler& compiler() {
  static const NvrtcCompiler loaded = std::move(NvrtcCompiler::load()).take();
  return loaded;
}

TEST(NvrtcCompiler, NamesItsVersion) {
  EXPECT_THAT(compiler().version(), MatchesRegex("1[23]\\.[0-9]+"));
}

TEST(NvrtcCompiler, CompilesToPtxForTheArch) {
  const auto ptx = compiler().compile(kSaxpy, "sm_80", CodeKind::kPtx, kScale);
  ASSERT_TRUE(ptx.ok()) << ptx.status().to_string();
  EXPECT_THAT(*ptx, AllOf(HasSubstr(".target sm_80"), HasSubstr(".entry saxpy")));
  EXPECT_EQ(ptx->find('\0'), std::string::npos);
}

TEST(NvrtcCompiler, CompilesToACubin) {
  const auto cubin = compiler().compile(kSaxpy, "sm_80", CodeKind::kCubin, kScale);
  ASSERT_TRUE(cubin.ok()) << cubin.status().to_string();
  EXPECT_THAT(*cubin, StartsWith("\x7f"
                                 "ELF"));
}

TEST(NvrtcCompiler, TakesAnArchWithItsOwnFeatures) {
  const auto ptx = compiler().compile(kSaxpy, "sm_90a", CodeKind::kPtx, kScale);
  ASSERT_TRUE(ptx.ok()) << ptx.status().to_string();
  EXPECT_THAT(*ptx, HasSubstr(".target sm_90a"));
}

TEST(NvrtcCompiler, GivesTheLogOfASourceThatDoesNotCompile) {
  EXPECT_THAT(
      compiler().compile({"\n__global__ void broken( {}", "broken.cu"}, "sm_80", CodeKind::kPtx),
      FailsWith(StatusCode::kInvalidArgument, HasSubstr("broken.cu(2): error")));
}

TEST(NvrtcCompiler, GivesTheLogOfAnOptionItDoesNotKnow) {
  const std::array<std::string, 1> options = {"--no-such-option"};
  EXPECT_THAT(compiler().compile(kSaxpy, "sm_80", CodeKind::kPtx, options),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("--no-such-option")));
}

TEST(NvrtcCompiler, RefusesAnUnknownArchWithTheListOfKnownOnes) {
  for (const char* arch : {"sm_1", "compute_80", "sm_80x", "80", "sm_", ""}) {
    EXPECT_THAT(compiler().compile(kSaxpy, arch, CodeKind::kCubin, kScale),
                FailsWith(StatusCode::kInvalidArgument,
                          AllOf(HasSubstr('"' + std::string(arch) + '"'), HasSubstr("sm_80, "))));
  }
}

TEST(NvrtcCompiler, SaysWhatToInstallWhenThereIsNoLibrary) {
  EXPECT_THAT(NvrtcCompiler::load("/nonexistent"),
              FailsWith(StatusCode::kNotFound,
                        AllOf(HasSubstr("tools/setup"), HasSubstr("/nonexistent/libnvrtc.so.13"),
                              HasSubstr("/nonexistent/libnvrtc.so.12"))));
}

}  // namespace
}  // namespace triode::cuda
