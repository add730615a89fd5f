// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/scratch.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <thread>

namespace triode {
namespace {

TEST(Scratch, IsAlignedAndWritable) {
  void* const memory = thread_scratch(1000);
  ASSERT_NE(memory, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % 64, 0u);
  std::memset(memory, 1, 1000);
}

TEST(Scratch, StaysWhereItIsOnceGrown) {
  void* const memory = thread_scratch(1 << 20);
  EXPECT_EQ(thread_scratch(1), memory);
  EXPECT_EQ(thread_scratch(1 << 20), memory);
}

TEST(Scratch, IsNullForMoreThanThereCanBeAndRecovers) {
  EXPECT_EQ(thread_scratch(SIZE_MAX), nullptr);
  EXPECT_NE(thread_scratch(1000), nullptr);
}

TEST(Scratch, BelongsToOneThread) {
  void* const mine = thread_scratch(1000);
  void* others = nullptr;
  std::thread([&] {
    others = thread_scratch(1000);
    std::memset(others, 2, 1000);
  }).join();
  EXPECT_NE(others, nullptr);
  EXPECT_NE(others, mine);
}

}  // namespace
}  // namespace triode
