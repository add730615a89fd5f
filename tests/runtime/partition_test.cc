// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/partition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

namespace triode {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Range;
using ::testing::Values;

TEST(Partition, CutsEvenlyBetweenGranules) {
  EXPECT_THAT(partition(64, 16, 2), ElementsAre(Extent{0, 32}, Extent{32, 32}));
}

TEST(Partition, GivesTheShortGranuleToALongPart) {
  EXPECT_THAT(partition(40, 16, 2), ElementsAre(Extent{0, 16}, Extent{16, 24}));
}

TEST(Partition, GivesFewerPartsThanAskedRatherThanEmptyOnes) {
  EXPECT_THAT(partition(20, 16, 8), ElementsAre(Extent{0, 16}, Extent{16, 4}));
}

TEST(Partition, OfNothingIsEmpty) {
  EXPECT_THAT(partition(0, 16, 4), IsEmpty());
}

class PartitionProperty : public ::testing::TestWithParam<std::tuple<int, int>> {};

TEST_P(PartitionProperty, CoversEveryElementOnce) {
  const auto [granule, parts] = GetParam();
  for (int64_t size = 0; size < 300; ++size) {
    int64_t covered = 0;
    for (const Extent& extent : partition(size, granule, parts)) {
      ASSERT_EQ(extent.begin, covered) << size;
      ASSERT_GT(extent.size, 0) << size;
      covered += extent.size;
    }
    ASSERT_EQ(covered, size);
  }
}

TEST_P(PartitionProperty, CutsAtGranulesIntoPartsThatDifferByOneAtMost) {
  const auto [granule, parts] = GetParam();
  for (int64_t size = 1; size < 300; ++size) {
    const std::vector<Extent> extents = partition(size, granule, parts);
    ASSERT_EQ(static_cast<int64_t>(extents.size()),
              std::min<int64_t>(parts, (size + granule - 1) / granule));
    int64_t shortest = size;
    int64_t longest = 0;
    for (const Extent& extent : extents) {
      ASSERT_EQ(extent.begin % granule, 0) << size;
      shortest = std::min(shortest, extent.size);
      longest = std::max(longest, extent.size);
    }
    ASSERT_LE(longest - shortest, granule) << size;
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, PartitionProperty,
                         ::testing::Combine(Values(1, 2, 6, 8, 16, 33), Range(1, 18)));

}  // namespace
}  // namespace triode
