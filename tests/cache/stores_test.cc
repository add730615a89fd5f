// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>

#include "cache/artifact_codec.h"
#include "cache/cache.h"
#include "cache/model_codec.h"
#include "cache/plan_codec.h"
#include "tests/cache/raw_database.h"
#include "tests/core/status_matchers.h"
#include "tests/runtime/temporary_folder.h"

namespace triode {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class StoresTest : public ::testing::Test {
 protected:
  void open(const StoreOptions& options = {}) {
    cache.reset();
    cache = Cache::open(path, options).take();
  }

  static SampleKey key(const std::string& config) {
    return {
        .device = "gpu|sm_80|108|0|0|0",
        .problem = "mm f16 512x512x512 nn",
        .config = config,
        .validity = {.toolchain = "triton 3", .driver = "550", .generator = {}, .source = "ab"}};
  }

  static PlanKey plan_key() {
    return {.device = "cpu|avx2|8|0|0|0",
            .problem = Problem::mm(DType::kF32, 64, 64, 64),
            .vendor = {.build_id = "b1", .symbol = "cblas_sgemm"},
            .threads = 4,
            .validity = {.toolchain = "emitter 1", .driver = {}, .generator = {}, .source = {}}};
  }

  static PlanRecord plan(const std::string& config) {
    return {.config = config,
            .code_digest = 0xFFFFFFFFFFFFFFFFu,
            .speedup = 1.25,
            .speedup_spread = 0.01,
            .vendor_ns = 125,
            .plan_ns = 100,
            .when_unix_s = 1'800'000'000};
  }

  // Code that does not compress.
  static std::string code(unsigned seed, size_t size = 10'000) {
    std::mt19937 random(seed);
    std::string bytes(size, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    return bytes;
  }

  const TemporaryFolder folder;
  const std::string path = folder.path() / "cache";
  std::unique_ptr<Cache> cache = Cache::open(path, {}).take();
};

class ArtifactStoreTest : public StoresTest {};
class PlanStoreTest : public StoresTest {};
class ModelStoreTest : public StoresTest {};

TEST_F(ArtifactStoreTest, FindsCodeAndFactsAfterReopening) {
  const ArtifactFacts facts = {.kind = "cubin",
                               .entry = "kernel",
                               .registers = 128,
                               .shared_bytes = 49152,
                               .spills = 2,
                               .threads_per_block = 256};
  const std::string digest = cache->artifacts().put(key("a"), code(1), facts, 100).take();
  open();
  EXPECT_EQ(cache->artifacts().find(key("a")).take(), digest);
  EXPECT_EQ(cache->artifacts().code(digest).take(), code(1));
  const ArtifactEntry entry = cache->artifacts().entry(digest).take().value();
  EXPECT_EQ(entry.facts, facts);
  EXPECT_EQ(entry.code_bytes, 10'000);
  EXPECT_EQ(entry.used_unix_s, 100);
}

TEST_F(ArtifactStoreTest, KeepsTheSameCodeOnce) {
  const std::string first = cache->artifacts().put(key("a"), code(1), {}, 100).take();
  const std::string second = cache->artifacts().put(key("b"), code(1), {}, 200).take();
  EXPECT_EQ(first, second);
  int entries = 0;
  ASSERT_TRUE(cache->artifacts()
                  .for_each([&](const ArtifactEntry& entry) {
                    EXPECT_EQ(entry.used_unix_s, 200);
                    ++entries;
                    return true;
                  })
                  .ok());
  EXPECT_EQ(entries, 1);
}

TEST_F(ArtifactStoreTest, KeepsFieldsItDoesNotKnowWhenItNotesAUse) {
  const std::string digest = cache->artifacts().put(key("a"), code(1), {}, 100).take();
  ArtifactEntry newer = cache->artifacts().entry(digest).take().value();
  newer.unknown = "\xa5later\x01";  // msgpack of a name and a value
  newer.unknown_count = 1;
  cache.reset();
  raw_put(path, "artifacts", artifact_entry_key(digest), encode_artifact_entry(newer));
  open();
  ASSERT_TRUE(cache->artifacts().touch(digest, 300).ok());
  newer.used_unix_s = 300;
  EXPECT_EQ(cache->artifacts().entry(digest).take(), newer);
}

TEST_F(ArtifactStoreTest, CompressesWhatCompresses) {
  const std::string digest =
      cache->artifacts().put(key("a"), std::string(100'000, 'x'), {}, 1).take();
  EXPECT_LT(cache->artifacts().entry(digest).take()->stored_bytes, 1000);
}

TEST_F(ArtifactStoreTest, DropsTheOneUsedLongestAgoWhenTheyTakeTooMuch) {
  open({.most_artifact_bytes = 35'000});
  const std::string old = cache->artifacts().put(key("a"), code(1), {}, 100).take();
  cache->artifacts().put(key("b"), code(2), {}, 200).take();
  cache->artifacts().put(key("c"), code(3), {}, 300).take();
  ASSERT_TRUE(cache->artifacts().touch(old, 400).ok());
  cache->artifacts().put(key("d"), code(4), {}, 500).take();
  EXPECT_TRUE(cache->artifacts().find(key("a")).take().has_value());
  EXPECT_FALSE(cache->artifacts().find(key("b")).take().has_value());
  EXPECT_TRUE(cache->artifacts().find(key("c")).take().has_value());
  EXPECT_TRUE(cache->artifacts().find(key("d")).take().has_value());
}

TEST_F(ArtifactStoreTest, DropsWhatAPlanRunsLast) {
  PlanRecord record = plan("x=1");
  record.artifact = cache->artifacts().put(key("a"), code(1), {}, 100).take();
  ASSERT_TRUE(cache->plans().put(plan_key(), record).ok());
  cache->artifacts().put(key("b"), code(2), {}, 200).take();
  EXPECT_GT(cache->artifacts().shrink_to(15'000).take(), 9000);
  EXPECT_TRUE(cache->artifacts().find(key("a")).take().has_value());
  EXPECT_FALSE(cache->artifacts().find(key("b")).take().has_value());
}

TEST_F(ArtifactStoreTest, RefusesCodeLargerThanAllTheRoom) {
  open({.most_artifact_bytes = 5'000});
  EXPECT_THAT(cache->artifacts().put(key("a"), code(1), {}, 1),
              FailsWith(StatusCode::kResourceExhausted, HasSubstr("larger")));
}

TEST_F(PlanStoreTest, FindsAPlanAfterReopening) {
  ASSERT_TRUE(cache->plans().put(plan_key(), plan("x=1")).ok());
  open();
  EXPECT_EQ(cache->plans().get(plan_key()).take(), plan("x=1"));
}

TEST_F(PlanStoreTest, KeepsTheLastPlanOfAKey) {
  ASSERT_TRUE(cache->plans().put(plan_key(), plan("x=1")).ok());
  PlanRecord withdrawn = plan("x=1");
  withdrawn.is_withdrawn = true;
  ASSERT_TRUE(cache->plans().put(plan_key(), withdrawn).ok());
  EXPECT_EQ(cache->plans().get(plan_key()).take(), withdrawn);
}

TEST_F(PlanStoreTest, EveryPartOfTheKeyMakesAnotherPlanAndAPrior) {
  ASSERT_TRUE(cache->plans().put(plan_key(), plan("x=1")).ok());
  PlanKey other_build = plan_key(), other_symbol = plan_key(), other_threads = plan_key(),
          other_toolchain = plan_key();
  other_build.vendor.build_id = "b2";
  other_symbol.vendor.symbol = "sgemm_";
  other_threads.threads = 8;
  other_toolchain.validity.toolchain = "emitter 2";
  for (const PlanKey& other : {other_build, other_symbol, other_threads, other_toolchain}) {
    EXPECT_FALSE(cache->plans().get(other).take().has_value());
    const auto found = cache->plans().find(other).take();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_NE(found[0].why_prior, "");
  }
  EXPECT_EQ(cache->plans().find(plan_key()).take()[0].why_prior, "");
}

TEST_F(PlanStoreTest, RefusesFiguresThatMakeNoSense) {
  for (double PlanRecord::*const figure : {&PlanRecord::speedup, &PlanRecord::speedup_spread,
                                           &PlanRecord::vendor_ns, &PlanRecord::plan_ns}) {
    for (const double value : {-1.0, std::nan("")}) {
      PlanRecord bad = plan("x=1");
      bad.*figure = value;
      EXPECT_THAT(cache->plans().put(plan_key(), bad),
                  FailsWith(StatusCode::kInvalidArgument, HasSubstr("figures")));
    }
  }
}

TEST_F(PlanStoreTest, ReadsBackItsKeys) {
  EXPECT_EQ(decode_plan_key(encode_plan_key(plan_key())).take(), plan_key());
  EXPECT_THAT(decode_plan_key("a\nb"), FailsWith(StatusCode::kCorrupt, HasSubstr("key")));
}

TEST_F(PlanStoreTest, CountsADamagedPlanAsNone) {
  ASSERT_TRUE(cache->plans().put(plan_key(), plan("x=1")).ok());
  cache.reset();
  raw_put(path, "plans", encode_plan_key(plan_key()), "damaged");
  open();
  EXPECT_FALSE(cache->plans().get(plan_key()).take().has_value());
  EXPECT_EQ(cache->plans().for_each([](const PlanKey&, const PlanRecord&) { return true; }).take(),
            1);
}

TEST_F(ModelStoreTest, KeepsFieldsItDoesNotKnow) {
  const std::string digest = cache->models().put("cpu", "a model", 1).take();
  ModelEntry newer = cache->models().entry(digest).take().value();
  newer.unknown = "\xa5later\x01";  // msgpack of a name and a value
  newer.unknown_count = 1;
  const Promotion promotion = {digest, {}, newer.unknown, 1};
  cache.reset();
  raw_put(path, "models", model_entry_key(digest), encode_model_entry(newer));
  raw_put(path, "models", promoted_key("cpu"), encode_promotion(promotion));
  open();
  ASSERT_TRUE(cache->models().put("cpu", "a model", 1).ok());
  EXPECT_EQ(cache->models().entry(digest).take(), newer);
  const auto promoted = [&] {
    cache.reset();
    const Promotion found = decode_promotion(raw_get(path, "models", promoted_key("cpu"))).take();
    open();
    return found;
  };
  ASSERT_TRUE(cache->models().promote(cache->models().put("cpu", "another", 2).take()).ok());
  EXPECT_EQ(promoted().unknown, newer.unknown);
  ASSERT_TRUE(cache->models().undo_promotion("cpu").ok());
  EXPECT_EQ(promoted().unknown_count, 1);
}

TEST_F(ModelStoreTest, FindsASnapshotAfterReopening) {
  const std::string digest =
      cache->models().put("sm_80", code(7), 100, {{"from", "a test"}}).take();
  open();
  EXPECT_EQ(cache->models().snapshot(digest).take(), code(7));
  const ModelEntry entry = cache->models().entry(digest).take().value();
  EXPECT_EQ(entry.family, "sm_80");
  EXPECT_EQ(entry.size_bytes, 10'000);
  EXPECT_EQ(entry.notes.at("from"), "a test");
}

TEST_F(ModelStoreTest, PutsOneInForceForEachFamily) {
  const std::string old = cache->models().put("cpu", code(1), 100).take();
  const std::string now = cache->models().put("cpu", code(2), 200).take();
  EXPECT_FALSE(cache->models().promoted("cpu").take().has_value());
  ASSERT_TRUE(cache->models().promote(old).ok());
  ASSERT_TRUE(cache->models().promote(now).ok());
  EXPECT_EQ(cache->models().promoted("cpu").take(), now);
  EXPECT_FALSE(cache->models().promoted("sm_80").take().has_value());
  EXPECT_THAT(cache->models().promote("none"), FailsWith(StatusCode::kNotFound, HasSubstr("none")));
}

TEST_F(ModelStoreTest, UndoesPromotionsOneAfterTheOther) {
  const std::string first = cache->models().put("cpu", code(1), 100).take();
  const std::string second = cache->models().put("cpu", code(2), 200).take();
  for (const std::string& digest : {first, second, second}) {
    ASSERT_TRUE(cache->models().promote(digest).ok());
  }
  EXPECT_EQ(cache->models().undo_promotion("cpu").take(), first);
  open();
  EXPECT_EQ(cache->models().promoted("cpu").take(), first);
  EXPECT_EQ(cache->models().undo_promotion("cpu").take(), std::nullopt);
  EXPECT_EQ(cache->models().promoted("cpu").take(), std::nullopt);
  EXPECT_THAT(cache->models().undo_promotion("cpu").status(),
              FailsWith(StatusCode::kNotFound, HasSubstr("cpu")));
}

TEST_F(ModelStoreTest, PassesOverWhatWasDroppedWhenItUndoes) {
  const std::string first = cache->models().put("cpu", code(1), 100).take();
  const std::string second = cache->models().put("cpu", code(2), 200).take();
  const std::string third = cache->models().put("cpu", code(3), 300).take();
  for (const std::string& digest : {first, second, third}) {
    ASSERT_TRUE(cache->models().promote(digest).ok());
  }
  ASSERT_TRUE(cache->models().drop(second).ok());
  EXPECT_EQ(cache->models().undo_promotion("cpu").take(), first);
}

TEST_F(ModelStoreTest, ListsTheOldestFirst) {
  const std::string late = cache->models().put("cpu", code(1), 200).take();
  const std::string early = cache->models().put("cpu", code(2), 100).take();
  std::vector<std::string> digests;
  const auto entries = cache->models().list().take();
  for (const ModelEntry& entry : entries) digests.push_back(entry.digest);
  EXPECT_THAT(digests, ElementsAre(early, late));
}

TEST_F(ModelStoreTest, DropsAllButTheOneInForce) {
  const std::string digest = cache->models().put("cpu", code(1), 100).take();
  const std::string other = cache->models().put("cpu", code(2), 100).take();
  ASSERT_TRUE(cache->models().promote(digest).ok());
  EXPECT_THAT(cache->models().drop(digest),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("in force")));
  EXPECT_TRUE(cache->models().drop(other).ok());
  EXPECT_FALSE(cache->models().snapshot(other).take().has_value());
}

}  // namespace
}  // namespace triode
