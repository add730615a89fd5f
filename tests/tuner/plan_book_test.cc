// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/plan_book.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>

#include "tests/runtime/temporary_folder.h"
#include "tests/tuner/sample_calls.h"

namespace triode::tuner {
namespace {

StoredPlan plan_for(int64_t size, const char* vendor = "libblas.so cblas_sgemm") {
  return {Problem::mm(DType::kF32, size, size, size), "mr=6", vendor, 5, 1.5, 150, 100};
}

class PlanBookTest : public ::testing::Test {
 protected:
  std::optional<StoredPlan> find(const PlanBook& book, const StoredPlan& plan) const {
    return book.find(target_, to_string(plan.problem), plan.vendor);
  }
  Status forget(PlanBook& book, const StoredPlan& plan) const {
    return book.forget(target_, to_string(plan.problem), plan.vendor, plan.code_digest);
  }

  TemporaryFolder folder_;
  std::string path_ = (folder_.path() / "sub" / "host.plans").string();
  Target target_ = sample_target();
};

TEST_F(PlanBookTest, KeepsPlansForTheNextTuner) {
  ASSERT_TRUE(PlanBook(path_).keep(target_, plan_for(5)).ok());
  const PlanBook again(path_);
  EXPECT_EQ(find(again, plan_for(5)), plan_for(5));
}

TEST_F(PlanBookTest, GivesATargetItsOwnAlone) {
  PlanBook book(path_);
  Target other = target_;
  other.cores = 64;
  ASSERT_TRUE(book.keep(target_, plan_for(5)).ok());
  ASSERT_TRUE(book.keep(other, plan_for(6)).ok());
  ASSERT_EQ(book.plans_for(target_).size(), 1u);
  EXPECT_EQ(book.plans_for(target_)[0].problem.m, 5);
  EXPECT_EQ(book.size(), 2u);
}

TEST_F(PlanBookTest, ForgetsOneInTheFileToo) {
  PlanBook book(path_);
  ASSERT_TRUE(book.keep(target_, plan_for(5)).ok());
  ASSERT_TRUE(book.keep(target_, plan_for(6)).ok());
  ASSERT_TRUE(forget(book, plan_for(5)).ok());
  EXPECT_EQ(find(PlanBook(path_), plan_for(5)), std::nullopt);
  EXPECT_NE(find(PlanBook(path_), plan_for(6)), std::nullopt);
}

TEST_F(PlanBookTest, ForgetsNoPlanOfOtherCode) {
  PlanBook book(path_);
  ASSERT_TRUE(book.keep(target_, plan_for(5)).ok());
  StoredPlan other = plan_for(5);
  other.code_digest += 1;
  EXPECT_TRUE(forget(book, other).ok());
  EXPECT_EQ(find(book, plan_for(5)), plan_for(5));
  EXPECT_EQ(find(PlanBook(path_), plan_for(5)), plan_for(5));
}

TEST_F(PlanBookTest, ForgetsNothingThatAnotherHasPutThereMeanwhile) {
  PlanBook book(path_);
  ASSERT_TRUE(book.keep(target_, plan_for(5)).ok());
  ASSERT_TRUE(book.keep(target_, plan_for(7)).ok());
  StoredPlan better = plan_for(7);
  better.config = "mr=8";
  PlanBook other(path_);
  ASSERT_TRUE(other.keep(target_, plan_for(6)).ok());
  ASSERT_TRUE(other.keep(target_, better).ok());
  for (const int64_t size : {5, 7}) {
    ASSERT_TRUE(forget(book, plan_for(size)).ok());
  }
  const PlanBook again(path_);
  EXPECT_EQ(find(again, plan_for(5)), std::nullopt);
  EXPECT_EQ(find(again, plan_for(6)), plan_for(6));
  EXPECT_EQ(find(again, better), better);
}

TEST_F(PlanBookTest, ForgetsWhereTheFileHasVanished) {
  PlanBook book(path_);
  ASSERT_TRUE(book.keep(target_, plan_for(5)).ok());
  std::filesystem::remove_all(folder_.path() / "sub");
  EXPECT_TRUE(forget(book, plan_for(5)).ok());
  EXPECT_EQ(find(book, plan_for(5)), std::nullopt);
}

TEST_F(PlanBookTest, KnowsNothingOfADamagedFileAndPutsItAside) {
  folder_.write("sub/host.plans", "no plans at all");
  PlanBook book(path_);
  EXPECT_EQ(book.size(), 0u);
  ASSERT_TRUE(book.keep(target_, plan_for(5)).ok());
  EXPECT_TRUE(std::filesystem::exists(path_ + ".damaged"));
}

TEST_F(PlanBookTest, MakesItsFolderAgainWhenThatHasVanished) {
  PlanBook book(path_);
  ASSERT_TRUE(book.keep(target_, plan_for(5)).ok());
  std::filesystem::remove_all(folder_.path() / "sub");
  EXPECT_TRUE(book.keep(target_, plan_for(6)).ok());
  EXPECT_NE(find(book, plan_for(5)), std::nullopt);
}

}  // namespace
}  // namespace triode::tuner
