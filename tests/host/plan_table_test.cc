// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/plan_table.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>

namespace triode::host {
namespace {

constexpr uint64_t kFactorOfM = 0x9E3779B97F4A7C15u;
constexpr uint64_t kFactorOfN = 0xC2B2AE3D27D4EB4Fu;

CallKey key_of(int64_t m, int64_t n = 7) {
  return {.m = m, .n = n, .k = 3, .lda = 16, .ldb = 17, .ldc = 18, .traits = 12345};
}

PlanEntry* add(PlanTable& table, const CallKey& key) {
  return table.add(key, PlanTable::hash_of(key), {}, nullptr);
}

PlanEntry* find(PlanTable& table, const CallKey& key) {
  return table.find(key, PlanTable::hash_of(key));
}

// A key of the same hash: what is added to one product is taken from the other.
CallKey twin_of(CallKey key) {
  key.m = static_cast<int64_t>(static_cast<uint64_t>(key.m) + 2 * kFactorOfN);
  key.n = static_cast<int64_t>(static_cast<uint64_t>(key.n) - 2 * kFactorOfM);
  return key;
}

TEST(PlanTable, FindsWhatWasAdded) {
  PlanTable& table = *PlanTable::create();
  PlanEntry* const entry = add(table, key_of(5));
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(find(table, key_of(5)), entry);
  EXPECT_EQ(find(table, key_of(6)), nullptr);
  EXPECT_EQ(table.size(), 1u);
}

TEST(PlanTable, GivesTheSameEntryToASecondAdd) {
  PlanTable& table = *PlanTable::create();
  EXPECT_EQ(add(table, key_of(5)), add(table, key_of(5)));
  EXPECT_EQ(table.size(), 1u);
}

TEST(PlanTable, TakesACollisionForAMiss) {
  PlanTable& table = *PlanTable::create();
  const CallKey key = key_of(5), twin = twin_of(key);
  ASSERT_EQ(PlanTable::hash_of(key), PlanTable::hash_of(twin));
  PlanEntry* const entry = add(table, key);
  EXPECT_EQ(find(table, twin), nullptr);
  PlanEntry* const other = add(table, twin);
  EXPECT_NE(other, entry);
  EXPECT_EQ(find(table, twin), other);
  EXPECT_EQ(find(table, key), entry);
}

struct Change {
  const char* name;
  int64_t CallKey::*field;
};

class EveryField : public testing::TestWithParam<Change> {};

TEST_P(EveryField, IsCompared) {
  PlanTable& table = *PlanTable::create();
  CallKey key = key_of(5);
  key.batch = 2;
  add(table, key);
  CallKey other = key;
  other.*GetParam().field += 1;
  // With the hash of the first, so that only the comparison can tell them apart.
  EXPECT_EQ(table.find(other, PlanTable::hash_of(key)), nullptr);
}

INSTANTIATE_TEST_SUITE_P(CallKey, EveryField,
                         testing::Values(Change{"m", &CallKey::m}, Change{"n", &CallKey::n},
                                         Change{"k", &CallKey::k}, Change{"lda", &CallKey::lda},
                                         Change{"ldb", &CallKey::ldb}, Change{"ldc", &CallKey::ldc},
                                         Change{"batch", &CallKey::batch},
                                         Change{"a_stride", &CallKey::a_stride},
                                         Change{"b_stride", &CallKey::b_stride},
                                         Change{"c_stride", &CallKey::c_stride}),
                         [](const auto& each) { return each.param.name; });

TEST(PlanTable, ComparesTheTraits) {
  PlanTable& table = *PlanTable::create();
  add(table, key_of(5));
  CallKey other = key_of(5);
  other.traits ^= uint64_t{1} << 63;
  EXPECT_EQ(table.find(other, PlanTable::hash_of(key_of(5))), nullptr);
}

TEST(PlanTable, FindsThreadedCallsNoMoreOnceTheyAreDropped) {
  PlanTable& table = *PlanTable::create();
  PlanEntry* const single = add(table, key_of(5));
  PlanEntry* const threaded = add(table, key_of(6));
  threaded->problem.threads = 2;
  table.drop_threaded();
  EXPECT_EQ(find(table, key_of(5)), single);
  EXPECT_EQ(find(table, key_of(6)), nullptr);
  int listed = 0;
  table.for_each([&](const PlanEntry&) { ++listed; });
  EXPECT_EQ(listed, 1);
  PlanEntry* const anew = add(table, key_of(6));
  EXPECT_NE(anew, threaded);
  EXPECT_EQ(find(table, key_of(6)), anew);
}

TEST(PlanTable, RefusesMoreThanItsShareAndKeepsFinding) {
  PlanTable& table = *PlanTable::create();
  for (size_t i = 0; i < PlanTable::kMostEntries; ++i) {
    ASSERT_NE(add(table, key_of(static_cast<int64_t>(i))), nullptr) << i;
  }
  EXPECT_EQ(add(table, key_of(-1)), nullptr);
  EXPECT_EQ(find(table, key_of(-1)), nullptr);
  EXPECT_NE(find(table, key_of(0)), nullptr);
  EXPECT_NE(add(table, key_of(0)), nullptr);
}

}  // namespace
}  // namespace triode::host
