// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cuda_program.h"

#include <gtest/gtest.h>

#include <cmath>

#include "runtime/device/small_floats.h"

namespace triode {
namespace {

CudaProgram small_program() {
  CudaLaunch launch;
  launch.ptx = ".version 8.0";
  launch.cubin = std::string("\0\1", 2);
  launch.entry = "kernel";
  launch.grid_x = 3;
  launch.threads = 64;
  launch.shared_bytes = 1024;
  launch.parameters = std::string(32, '\7');
  launch.offsets = {0, 8, 16, 24};
  launch.patches = {{CallValue::kA, 0}, {CallValue::kBetaF32, 28}};
  return {"triton 3.9.0", {launch}};
}

TEST(CudaProgram, ComesBackFromItsBytes) {
  const std::string bytes = to_bytes(small_program());
  EXPECT_EQ(parse_cuda_program(bytes).value(), small_program());
  EXPECT_EQ(digest_of(bytes), digest_of(to_bytes(small_program())));
}

TEST(CudaProgram, IsRefusedIfAnythingIsMissing) {
  const std::string bytes = to_bytes(small_program());
  for (size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_EQ(parse_cuda_program(bytes.substr(0, length)).status().code(), StatusCode::kCorrupt);
  }
  EXPECT_EQ(parse_cuda_program(bytes + "x").status().code(), StatusCode::kCorrupt);
}

TEST(CudaProgram, NeitherReadsNorWritesOutsideOfItsParameters) {
  for (const uint32_t offset : {25u, 32u, ~0u}) {
    CudaProgram program = small_program();
    program.launches[0].patches[0].offset = offset;
    EXPECT_EQ(parse_cuda_program(to_bytes(program)).status().code(), StatusCode::kCorrupt);
  }
  CudaProgram program = small_program();
  program.launches[0].offsets[0] = 32;
  EXPECT_EQ(parse_cuda_program(to_bytes(program)).status().code(), StatusCode::kCorrupt);
  program = small_program();
  program.launches[0].parameters.assign(kMostParameterBytes + 1, '\0');
  EXPECT_EQ(parse_cuda_program(to_bytes(program)).status().code(), StatusCode::kCorrupt);
  program = small_program();
  program.launches.resize(kMostLaunches + 1, program.launches[0]);
  EXPECT_EQ(parse_cuda_program(to_bytes(program)).status().code(), StatusCode::kCorrupt);
}

TEST(SmallFloats, EveryHalfComesBackFromItsFloat) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = f16_to_float(static_cast<uint16_t>(bits));
    const uint16_t back = float_to_f16(value);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(f16_to_float(back)));
    } else {
      ASSERT_EQ(back, bits);
    }
  }
}

TEST(SmallFloats, RoundToTheNearestAndTiesToEven) {
  EXPECT_EQ(float_to_f16(1 + 0x1p-11f), 0x3c00);      // between 1 and the next: even
  EXPECT_EQ(float_to_f16(1 + 3 * 0x1p-11f), 0x3c02);  // even again
  EXPECT_EQ(float_to_f16(65519), 0x7bff);             // the largest
  EXPECT_EQ(float_to_f16(65520), 0x7c00);             // infinity
  EXPECT_EQ(float_to_f16(0x1p-25f), 0);               // half of the least
  EXPECT_EQ(float_to_f16(-0x1.8p-25f), 0x8001);
  EXPECT_EQ(float_to_bf16(1 + 0x1p-8f), 0x3f80);
  EXPECT_EQ(float_to_bf16(1 + 3 * 0x1p-8f), 0x3f82);
  EXPECT_TRUE(std::isnan(bf16_to_float(float_to_bf16(std::nanf("")))));
}

}  // namespace
}  // namespace triode
