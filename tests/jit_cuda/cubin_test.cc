// SPDX-License-Identifier: Apache-2.0
#include "jit/cuda/cubin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "jit/cuda/nvrtc_compiler.h"
#include "tests/core/status_matchers.h"

namespace triode::cuda {
namespace {

using ::testing::HasSubstr;

// Two kernels: one with parameters of several sizes and a fixed block, one that keeps an array
// where a thread cannot hold it in registers.
constexpr const char* kSource = R"(
extern "C" __global__ void __launch_bounds__(96) small(float* out, char c, double d, short s) {
  out[threadIdx.x] = static_cast<float>(c + d + s);
}
extern "C" __global__ void large(int* out, int i) {
  volatile int values[64];
  for (int j = 0; j < 64; ++j) values[j] = out[j * i];
  out[i] = values[out[i] & 63] + values[i & 63];
}
)";

const std::string& cubin() {
  static const std::string bytes = [] {
    const NvrtcCompiler compiler = std::move(NvrtcCompiler::load()).take();
    return std::move(compiler.compile({kSource, "cubin_test.cu"}, "sm_90", CodeKind::kCubin))
        .take();
  }();
  return bytes;
}

TEST(Cubin, TellsWhereParametersLie) {
  const auto function = read_cubin(cubin(), "small");
  ASSERT_TRUE(function.ok()) << function.status().to_string();
  EXPECT_EQ(function->parameters, (std::vector<CubinParameter>{{0, 8}, {8, 1}, {16, 8}, {24, 2}}));
}

TEST(Cubin, TellsWhatAThreadTakes) {
  const auto small = read_cubin(cubin(), "small");
  const auto large = read_cubin(cubin(), "large");
  ASSERT_TRUE(small.ok() && large.ok());
  EXPECT_GT(small->registers, 0u);
  EXPECT_LE(small->registers, 64u);
  EXPECT_EQ(small->frame_bytes, 0u);
  EXPECT_GE(large->frame_bytes, 64 * sizeof(int));
}

TEST(Cubin, HasTheKernelsItWasMadeOf) {
  EXPECT_THAT(read_cubin(cubin(), "medium"), FailsWith(StatusCode::kNotFound, HasSubstr("medium")));
}

TEST(Cubin, OfOtherBytesIsRefused) {
  EXPECT_THAT(read_cubin("", "small"), FailsWith(StatusCode::kCorrupt, HasSubstr("cubin")));
  EXPECT_THAT(read_cubin("\177ELF and nothing else", "small"),
              FailsWith(StatusCode::kCorrupt, HasSubstr("cubin")));
}

// None of these may read beyond the bytes, which the address sanitizer would see.
TEST(Cubin, ThatIsDamagedIsReadWithoutHarm) {
  for (size_t size = 0; size < cubin().size(); size += 7) {
    EXPECT_FALSE(read_cubin(cubin().substr(0, size), "small").ok());
  }
  for (size_t at = 0; at < cubin().size(); at += 3) {
    std::string damaged = cubin();
    damaged[at] = static_cast<char>(damaged[at] ^ 0xff);
    const auto function = read_cubin(damaged, "small");
    EXPECT_TRUE(!function.ok() || function->parameters.size() <= 1024);
  }
}

}  // namespace
}  // namespace triode::cuda
