// SPDX-License-Identifier: Apache-2.0
#include "learner/train/split.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "tests/train/generated_timings.h"

namespace triode::train {
namespace {

using testing::SizeIs;

TEST(ShapeGroup, IsTheSameForAllOrdersOfTheSizes) {
  const uint64_t group = shape_group(Problem::mm(DType::kF16, 64, 128, 256));
  EXPECT_EQ(group, shape_group(Problem::mm(DType::kF16, 256, 64, 128)));
  EXPECT_EQ(group, shape_group(Problem::mm(DType::kF32, 128, 256, 64, true)));
  EXPECT_NE(group, shape_group(Problem::mm(DType::kF16, 64, 128, 257)));
}

TEST(GroupedFolds, TestsEveryProblemOnceAndNeverTrainsItsGroup) {
  std::vector<TimedProblem> problems = generated_timings(60, 1);
  problems[7].problem = Problem::mm(DType::kF16, 64, 128, 256);
  problems[9].problem = Problem::mm(DType::kF16, 256, 128, 64);
  std::vector<int> tested(problems.size());
  for (const Split& split : grouped_folds(problems, 4, 0)) {
    EXPECT_EQ(split.train.size() + split.test.size(), problems.size());
    std::set<uint64_t> groups;
    for (const size_t i : split.train) groups.insert(shape_group(problems[i].problem));
    for (const size_t i : split.test) {
      ++tested[i];
      EXPECT_FALSE(groups.contains(shape_group(problems[i].problem)));
    }
  }
  EXPECT_THAT(tested, testing::Each(1));
}

TEST(GroupedFolds, AnotherSeedDealsOtherwise) {
  const std::vector<TimedProblem> problems = generated_timings(60, 1);
  EXPECT_NE(grouped_folds(problems, 4, 0)[0].test, grouped_folds(problems, 4, 1)[0].test);
}

TEST(ShiftSplit, TrainsOnSyntheticShapesThatAreNotTested) {
  std::vector<TimedProblem> problems = generated_timings(4, 1);
  problems[1].source = "a100_timm_train";
  problems[2].problem = problems[1].problem;
  const Split split = shift_split(problems);
  EXPECT_EQ(split.test, std::vector<size_t>({1}));
  EXPECT_EQ(split.train, std::vector<size_t>({0, 3}));
}

TEST(SplitDigest, NamesSidesAndNotOrder) {
  std::vector<TimedProblem> problems = generated_timings(3, 1);
  const std::vector<Split> one = {{.train = {0, 1}, .test = {2}}};
  const std::vector<Split> same = {{.train = {1, 0}, .test = {2}}};
  const std::vector<Split> other = {{.train = {0}, .test = {1, 2}}};
  EXPECT_EQ(split_digest(problems, one), split_digest(problems, same));
  EXPECT_NE(split_digest(problems, one), split_digest(problems, other));
}

TEST(DataDigest, ChangesWithATime) {
  std::vector<TimedProblem> problems = generated_timings(3, 1);
  const std::string before = data_digest(problems);
  EXPECT_THAT(before, SizeIs(64));
  problems[1].seconds[0] *= 1.0000001;
  EXPECT_NE(data_digest(problems), before);
}

}  // namespace
}  // namespace triode::train
