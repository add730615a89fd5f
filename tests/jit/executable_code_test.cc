// SPDX-License-Identifier: Apache-2.0
#include "jit/x86/executable_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <utility>

#include "tests/jit/memory_map.h"
#include "tests/reference/fault_trap.h"

namespace triode::x86 {
namespace {

using ::testing::IsEmpty;
using ::testing::Optional;

// mov eax, 42; ret
constexpr std::array<uint8_t, 6> kReturn42 = {0xB8, 42, 0, 0, 0, 0xC3};

ExecutableCode unsealed_code() {
  Result<ExecutableCode> code = ExecutableCode::allocate(kReturn42.size());
  EXPECT_TRUE(code.ok());
  std::ranges::copy(kReturn42, code->writable().begin());
  return std::move(code).take();
}

ExecutableCode sealed_code() {
  ExecutableCode code = unsealed_code();
  const Status sealed = code.seal();
  EXPECT_TRUE(sealed.ok()) << sealed.to_string();
  return code;
}

int call(const ExecutableCode& code) {
  return std::bit_cast<int (*)()>(code.bytes().data())();
}

TEST(ExecutableCode, GivesTheRoomAskedFor) {
  const ExecutableCode code = unsealed_code();
  EXPECT_EQ(code.bytes().size(), kReturn42.size());
}

TEST(ExecutableCode, IsWritableAndNotExecutableBeforeItIsSealed) {
  const ExecutableCode code = unsealed_code();
  EXPECT_THAT(permissions_at(code.bytes().data()), Optional(std::string("rw-p")));
  EXPECT_THAT(writable_executable_ranges(), IsEmpty());
}

TEST(ExecutableCode, IsExecutableAndNotWritableOnceItIsSealed) {
  const ExecutableCode code = sealed_code();
  EXPECT_THAT(permissions_at(code.bytes().data()), Optional(std::string("r-xp")));
  EXPECT_THAT(writable_executable_ranges(), IsEmpty());
}

TEST(ExecutableCode, EveryPageIsSealed) {
  Result<ExecutableCode> code = ExecutableCode::allocate(3 * 4096 + 1);
  ASSERT_TRUE(code.ok());
  ASSERT_TRUE(code->seal().ok());
  EXPECT_THAT(permissions_at(&code->bytes().front()), Optional(std::string("r-xp")));
  EXPECT_THAT(permissions_at(&code->bytes().back()), Optional(std::string("r-xp")));
}

TEST(ExecutableCode, RunsOnceItIsSealed) {
  EXPECT_EQ(call(sealed_code()), 42);
}

TEST(ExecutableCode, FaultsWhenCalledBeforeItIsSealed) {
  const ExecutableCode code = unsealed_code();
  EXPECT_TRUE(trap_fault([&] { call(code); }).has_value());
}

TEST(ExecutableCode, FaultsWhenWrittenAfterItIsSealed) {
  ExecutableCode code = sealed_code();
  volatile uint8_t* first = code.writable().data();
  EXPECT_TRUE(trap_fault([&] { *first = 0x90; }).has_value());
  EXPECT_EQ(call(code), 42);
}

TEST(ExecutableCode, MovingKeepsTheCodeWhereItIs) {
  ExecutableCode code = sealed_code();
  const uint8_t* address = code.bytes().data();
  const ExecutableCode moved = std::move(code);
  EXPECT_EQ(moved.bytes().data(), address);
  EXPECT_EQ(call(moved), 42);
}

TEST(ExecutableCode, AMovedFromCodeReleasesNothing) {
  std::optional<ExecutableCode> code = sealed_code();
  const ExecutableCode moved = std::move(*code);
  code.reset();
  EXPECT_EQ(call(moved), 42);
}

TEST(ExecutableCode, AssigningTakesTheCodeOver) {
  ExecutableCode code = unsealed_code();
  code = sealed_code();
  EXPECT_EQ(call(code), 42);
}

TEST(ExecutableCode, IsUnmappedOnDestruction) {
  const void* address = nullptr;
  {
    const ExecutableCode code = sealed_code();
    address = code.bytes().data();
    ASSERT_TRUE(permissions_at(address).has_value());
  }
  EXPECT_NE(permissions_at(address), std::optional<std::string>("r-xp"));
}

TEST(ExecutableCode, AssigningLeaksNeitherCode) {
  const void* first_address = nullptr;
  const void* second_address = nullptr;
  {
    ExecutableCode first = sealed_code();
    ExecutableCode second = sealed_code();
    first_address = first.bytes().data();
    second_address = second.bytes().data();
    first = std::move(second);
  }
  EXPECT_NE(permissions_at(first_address), std::optional<std::string>("r-xp"));
  EXPECT_NE(permissions_at(second_address), std::optional<std::string>("r-xp"));
}

TEST(ExecutableCode, RefusesNoRoomAtAll) {
  const Result<ExecutableCode> code = ExecutableCode::allocate(0);
  ASSERT_FALSE(code.ok());
  EXPECT_EQ(code.status().code(), StatusCode::kInvalidArgument);
}

TEST(ExecutableCode, ReportsThatMemoryRanOut) {
  for (const size_t size_bytes : {SIZE_MAX, SIZE_MAX / 2}) {
    const Result<ExecutableCode> code = ExecutableCode::allocate(size_bytes);
    ASSERT_FALSE(code.ok());
    EXPECT_EQ(code.status().code(), StatusCode::kResourceExhausted);
  }
}

}  // namespace
}  // namespace triode::x86
