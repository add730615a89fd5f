// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/chosen_model.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cache/cache.h"
#include "runtime/model/shipped_models.h"
#include "tests/learner/small_model.h"
#include "tests/runtime/temporary_folder.h"

namespace triode {
namespace {

class ChosenModelTest : public testing::Test {
 protected:
  void SetUp() override {
    cache_ = Cache::open((folder_.path() / "store").string(), {}).take();
    ASSERT_TRUE(save_snapshot(named("shipped"), shipped_path(shipped(), "gpu")).ok());
  }

  static Snapshot named(const std::string& name) {
    Snapshot snapshot = small_snapshot();
    snapshot.name = name;
    return snapshot;
  }
  std::string shipped() const { return folder_.path().string(); }
  Result<ChosenModel> choose(DeviceKind kind = DeviceKind::kGpu) {
    return chosen_model(&cache_->models(), kind, shipped());
  }
  void promote(const std::string& family, std::string_view bytes) {
    const std::string digest = cache_->models().put(family, bytes, 1).take();
    ASSERT_TRUE(cache_->models().promote(digest).ok());
  }

  TemporaryFolder folder_;
  std::unique_ptr<Cache> cache_;
};

TEST_F(ChosenModelTest, IsTheShippedOneUntilOneIsPromoted) {
  EXPECT_EQ(choose()->snapshot.name, "shipped");
  EXPECT_FALSE(choose()->is_promoted);
  EXPECT_EQ(chosen_model(nullptr, DeviceKind::kGpu, shipped())->snapshot.name, "shipped");
  promote("gpu", write_snapshot(named("promoted")));
  EXPECT_EQ(choose()->snapshot.name, "promoted");
  EXPECT_TRUE(choose()->is_promoted);
  EXPECT_EQ(choose()->passed_over, "");
}

TEST_F(ChosenModelTest, IsTheShippedOneAgainOnceThePromotionIsUndone) {
  promote("gpu", write_snapshot(named("promoted")));
  ASSERT_TRUE(cache_->models().undo_promotion("gpu").ok());
  EXPECT_EQ(choose()->snapshot.name, "shipped");
}

TEST_F(ChosenModelTest, PassesOverADamagedPromotedOneAndSaysSo) {
  std::string bytes = write_snapshot(named("promoted"));
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  promote("gpu", bytes);
  const auto chosen = choose();
  ASSERT_TRUE(chosen.ok()) << chosen.status().message();
  EXPECT_EQ(chosen->snapshot.name, "shipped");
  EXPECT_FALSE(chosen->is_promoted);
  EXPECT_NE(chosen->passed_over, "");
}

TEST_F(ChosenModelTest, PassesOverAModelOfAnotherKind) {
  promote("cpu", write_snapshot(named("promoted")));  // its features are a gpu's
  ASSERT_TRUE(save_snapshot(named("shipped"), shipped_path(shipped(), "cpu-x86")).ok());
  EXPECT_FALSE(choose(DeviceKind::kCpu)->is_promoted);
}

TEST_F(ChosenModelTest, IsNotFoundWhereNoneIsShipped) {
  EXPECT_EQ(choose(DeviceKind::kCpu).status().code(), StatusCode::kNotFound);
}

TEST_F(ChosenModelTest, IsAnErrorWhereTheShippedOneIsDamaged) {
  std::ofstream(shipped_path(shipped(), "gpu")) << "no snapshot";
  EXPECT_EQ(choose().status().code(), StatusCode::kCorrupt);
}

TEST(ShippedModels, AreTheSnapshotsOfAFolderByName) {
  TemporaryFolder folder;
  for (const char* name : {"b.snapshot", "a.snapshot", "notes.txt"}) {
    std::ofstream(folder.path() / name) << "x";
  }
  const auto paths = shipped_models(folder.path().string());
  ASSERT_EQ(paths.size(), 2u);
  EXPECT_EQ(paths[0], shipped_path(folder.path().string(), "a"));
  EXPECT_TRUE(shipped_models((folder.path() / "none").string()).empty());
}

// Runs in a folder of its own, which holds what may be mistaken for a model.
class FindSnapshotTest : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::current_path(folder_.path());
    save("shipped", shipped_path(folder_.path().string(), "gpu"));
  }
  ~FindSnapshotTest() override { std::filesystem::current_path(before_); }

  static void save(const std::string& name, const std::string& path) {
    Snapshot snapshot = small_snapshot();
    snapshot.name = name;
    ASSERT_TRUE(save_snapshot(snapshot, path).ok());
  }
  Result<Snapshot> find(const std::string& word) {
    return find_snapshot(word, folder_.path().string());
  }

  const std::filesystem::path before_ = std::filesystem::current_path();
  TemporaryFolder folder_;
};

TEST_F(FindSnapshotTest, IsNotMisledByAFolderOfThatName) {
  std::filesystem::create_directory("gpu");
  EXPECT_EQ(find("gpu")->name, "shipped");
  EXPECT_EQ(find("./gpu").status().code(), StatusCode::kNotFound);
}

TEST_F(FindSnapshotTest, TakesAFileOfAShippedNameOnlyByItsPath) {
  save("mine", "gpu");
  EXPECT_EQ(find("gpu")->name, "shipped");
  EXPECT_EQ(find("./gpu")->name, "mine");
}

TEST_F(FindSnapshotTest, TakesAFileWithoutAPathWhereNoneOfThatNameIsShipped) {
  save("mine", "mine.snapshot");
  EXPECT_EQ(find("mine.snapshot")->name, "mine");
  EXPECT_EQ(find("no such model").status().code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace triode
