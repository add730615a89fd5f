// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/crc32.h"
#include "jit/cuda/triton_kernel.h"
#include "tests/core/status_matchers.h"

namespace triode::cuda {
namespace {

using ::testing::HasSubstr;

TritonKernel sample_kernel() {
  TritonFunction matmul;
  matmul.entry = "triode_matmul";
  matmul.threads = 128;
  matmul.shared_bytes = 49152;
  matmul.registers = 96;
  matmul.spill_bytes = 8;
  matmul.scratch_bytes = 256;
  matmul.block_m = 64;
  matmul.block_n = 32;
  matmul.splits = 4;
  matmul.is_persistent = true;
  matmul.parameters = {{TritonRole::kA, 0, 8}, {TritonRole::kBeta, 8, 4}};
  matmul.ptx = "ptx";
  matmul.cubin = std::string("\177ELF\0\0", 6);
  TritonFunction reduction = matmul;
  reduction.entry = "triode_reduce";
  reduction.splits = 1;
  return {{matmul, reduction}, "triton 3.9.0"};
}

TEST(TritonArtifact, ComesBackWhole) {
  const auto back = deserialise_triton_kernel(serialise(sample_kernel()));
  ASSERT_TRUE(back.ok()) << back.status().to_string();
  EXPECT_EQ(*back, sample_kernel());
}

TEST(TritonArtifact, ThatIsCutOffOrChangedAnywhereIsRefused) {
  const std::string bytes = serialise(sample_kernel());
  for (size_t i = 0; i < bytes.size(); ++i) {
    EXPECT_EQ(deserialise_triton_kernel(bytes.substr(0, i)).status().code(), StatusCode::kCorrupt);
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 0x10);
    EXPECT_EQ(deserialise_triton_kernel(changed).status().code(), StatusCode::kCorrupt);
  }
}

// As another program might write it: all in order but the numbers.
std::string with_checksum(std::string bytes) {
  bytes.resize(bytes.size() - 4);
  const uint32_t checksum = crc32(bytes);
  return bytes.append(reinterpret_cast<const char*>(&checksum), sizeof checksum);
}

TEST(TritonArtifact, WithNumbersThatNoKernelHasIsRefused) {
  TritonKernel kernel = sample_kernel();
  kernel.functions[1].block_m = 0;
  EXPECT_THAT(deserialise_triton_kernel(serialise(kernel)),
              FailsWith(StatusCode::kCorrupt, HasSubstr("numbers")));
  kernel = sample_kernel();
  kernel.functions[0].parameters[0].offset = 1u << 30;
  EXPECT_THAT(deserialise_triton_kernel(serialise(kernel)),
              FailsWith(StatusCode::kCorrupt, HasSubstr("numbers")));
}

TEST(TritonArtifact, WithALengthBeyondItsEndIsRefused) {
  std::string bytes = serialise(sample_kernel());
  bytes[8] = '\xff';  // of the toolchain's text
  bytes[11] = '\x7f';
  EXPECT_THAT(deserialise_triton_kernel(with_checksum(bytes)),
              FailsWith(StatusCode::kCorrupt, HasSubstr("length")));
}

TEST(TritonDigest, ChangesWithTheCodeAndItsLaunch) {
  const uint64_t digest = triton_digest(sample_kernel());
  TritonKernel other = sample_kernel();
  other.functions[1].cubin += 'x';
  EXPECT_NE(triton_digest(other), digest);
  other = sample_kernel();
  other.functions[0].shared_bytes += 1;
  EXPECT_NE(triton_digest(other), digest);
}

}  // namespace
}  // namespace triode::cuda
