// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/answering_code.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>

#include "tests/core/status_matchers.h"

namespace triode::bench {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

TEST(AnsweringCode, NamesTheFileWhoseCodeReadsTheOperand) {
  const auto compare = reinterpret_cast<int (*)(const void*, const void*, std::size_t)>(
      dlsym(RTLD_DEFAULT, "memcmp"));
  const char zeros[64] = {};
  const auto who =
      answering_code(64, [&](const void* operand) { EXPECT_EQ(compare(operand, zeros, 64), 0); });
  ASSERT_TRUE(who.ok());
  EXPECT_THAT(*who, HasSubstr("libc.so"));
}

TEST(AnsweringCode, NamesTheProgramItself) {
  float sum = 1;
  const auto who = answering_code(
      64, [&](const void* operand) { sum += *static_cast<const volatile float*>(operand); });
  ASSERT_TRUE(who.ok());
  EXPECT_THAT(*who, EndsWith("bench_tests"));
  EXPECT_EQ(sum, 1);
}

TEST(AnsweringCode, KnowsCodeThatLiesInNoFile) {
  // movss xmm0, [rdi]; ret
  const unsigned char code[] = {0xf3, 0x0f, 0x10, 0x07, 0xc3};
  void* const memory =
      mmap(nullptr, sizeof code, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  std::memcpy(memory, code, sizeof code);
  ASSERT_EQ(mprotect(memory, sizeof code, PROT_READ | PROT_EXEC), 0);
  const auto read_first = reinterpret_cast<float (*)(const void*)>(memory);
  const auto who =
      answering_code(4, [&](const void* operand) { EXPECT_EQ(read_first(operand), 0); });
  munmap(memory, sizeof code);
  ASSERT_TRUE(who.ok());
  EXPECT_EQ(*who, kGeneratedCode);
}

TEST(AnsweringCode, SaysThatNobodyCame) {
  EXPECT_THAT(answering_code(64, [](const void*) {}),
              FailsWith(StatusCode::kUnavailable, HasSubstr("no operand")));
}

}  // namespace
}  // namespace triode::bench
