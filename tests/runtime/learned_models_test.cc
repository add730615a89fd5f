// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/learned_models.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "cache/cache.h"
#include "runtime/model/chosen_model.h"
#include "tests/learner/small_model.h"
#include "tests/runtime/temporary_folder.h"

namespace triode {
namespace {

GateVerdict verdict_of(double current, double candidate, bool passed = true) {
  return {passed, "as told", {{"a100", 9, current, candidate}}};
}

TEST(LearnedModelRule, WantsMoreThanNoLoss) {
  EXPECT_TRUE(is_better(verdict_of(1.05, 1.04), {}));
  EXPECT_FALSE(is_better(verdict_of(1.05, 1.0499), {}));
  EXPECT_FALSE(is_better(verdict_of(1.05, 1.051), {}));
  EXPECT_FALSE(is_better(verdict_of(1.05, 1.04, false), {}));
  EXPECT_FALSE(is_better({true, "", {}}, {}));
}

class LearnedModelsTest : public ::testing::Test {
 protected:
  static Snapshot named(const std::string& name) {
    Snapshot snapshot = small_snapshot();
    snapshot.name = name;
    return snapshot;
  }
  std::string promote(const std::string& name, int64_t now, const LearnedModelRule& rule = {}) {
    return promote_learned(store_, named(name), "parent", verdict_of(1.05, 1.01), now, rule)
        .value();
  }
  std::string in_force() {
    return chosen_model(&store_, DeviceKind::kGpu, "nowhere")->snapshot.name;
  }

  TemporaryFolder folder_;
  std::unique_ptr<Cache> cache_ = Cache::open((folder_.path() / "store").string(), {}).take();
  ModelStore& store_ = cache_->models();
};

TEST_F(LearnedModelsTest, AreInForceForWhoBeginsNextAndSayWhereTheyComeFrom) {
  const std::string digest = promote("first", 7);
  EXPECT_EQ(in_force(), "first");
  const ModelEntry entry = store_.entry(digest).value().value();
  EXPECT_EQ(entry.notes.at("origin"), "learned");
  EXPECT_EQ(entry.notes.at("parent"), "parent");
  EXPECT_EQ(entry.notes.at("gate"), "as told");
}

TEST_F(LearnedModelsTest, CanBeTakenBack) {
  promote("first", 7);
  promote("second", 8);
  ASSERT_TRUE(store_.undo_promotion("gpu").ok());
  EXPECT_EQ(in_force(), "first");
}

TEST_F(LearnedModelsTest, TheOldestGoAndWhatUsersPutThereStays) {
  const std::string by_hand = store_.put("gpu", write_snapshot(named("by hand")), 1).value();
  for (int64_t now = 2; now < 7; ++now) promote(std::to_string(now), now, {.most_kept = 2});
  EXPECT_EQ(store_.list()->size(), 3u);
  EXPECT_TRUE(store_.entry(by_hand).value().has_value());
  EXPECT_EQ(in_force(), "6");
  ASSERT_TRUE(store_.undo_promotion("gpu").ok());
  EXPECT_EQ(in_force(), "5");
}

TEST_F(LearnedModelsTest, SayUntilWhenTrialsAreInThem) {
  EXPECT_EQ(learned_until(store_, DeviceKind::kGpu), 0);
  promote("first", 7);
  EXPECT_EQ(learned_until(store_, DeviceKind::kGpu), 7);
  EXPECT_EQ(learned_until(store_, DeviceKind::kCpu), 0);
  const std::string by_hand = store_.put("gpu", write_snapshot(named("by hand")), 9).value();
  ASSERT_TRUE(store_.promote(by_hand).ok());
  EXPECT_EQ(learned_until(store_, DeviceKind::kGpu), 0);
}

}  // namespace
}  // namespace triode
