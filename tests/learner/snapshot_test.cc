// SPDX-License-Identifier: Apache-2.0
#include "learner/model/snapshot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "core/random.h"
#include "core/sha256.h"
#include "learner/model/cost_model.h"
#include "tests/core/status_matchers.h"
#include "tests/learner/small_model.h"
#include "tests/runtime/temporary_folder.h"

namespace triode {
namespace {

using ::testing::HasSubstr;

Snapshot full_snapshot() {
  Snapshot snapshot = small_snapshot(2);
  snapshot.nets.push_back(drawn_net(NetRole::kLevel, 11));
  snapshot.nets.push_back(drawn_net(NetRole::kFailure, 12));
  snapshot.nets.push_back(drawn_net(NetRole::kVendor, 13));
  snapshot.nets.back().activation = Activation::kSilu;
  snapshot.trees.depth = 1;
  snapshot.trees.share = 0.25f;
  snapshot.trees.feature = {30, 0};
  snapshot.trees.threshold = {0.5f, -1.0f};
  snapshot.trees.leaf = {-0.1f, 0.2f, 0.3f, -0.4f};
  snapshot.online.updates = 7;
  snapshot.online.mean[3] = 0.125;
  return snapshot;
}

// What two devices have learned, each on its own.
Snapshot learned_snapshot() {
  Snapshot snapshot = full_snapshot();
  for (const char* device : {"a100", "h100"}) {
    snapshot.learned.push_back({device, snapshot.online});
    snapshot.learned.back().state.updates = snapshot.learned.size();
    snapshot.learned.back().state.mean[2] = -0.5;
  }
  return snapshot;
}

// The bytes with their checksum made right again, so that what lies behind it is put to the test.
std::string resealed(std::string bytes) {
  if (bytes.size() < 32) return bytes;
  const size_t content = bytes.size() - 32;
  const Sha256Digest digest = sha256(std::string_view(bytes).substr(0, content));
  std::memcpy(bytes.data() + content, digest.data(), digest.size());
  return bytes;
}

TEST(Snapshot, ReadsBackWhatWasWritten) {
  const Snapshot snapshot = full_snapshot();
  const Result<Snapshot> read = read_snapshot(write_snapshot(snapshot));
  ASSERT_TRUE(read.ok()) << read.status().to_string();
  EXPECT_EQ(*read, snapshot);
}

TEST(Snapshot, HasTheSameBytesAndDigestEveryTime) {
  EXPECT_EQ(write_snapshot(full_snapshot()), write_snapshot(full_snapshot()));
  EXPECT_EQ(snapshot_digest(full_snapshot()).size(), 64u);
}

TEST(Snapshot, HasAnotherDigestOnceItLearned) {
  Snapshot learned = full_snapshot();
  learned.learned = {{"a100", learned.online}};
  EXPECT_NE(snapshot_digest(learned), snapshot_digest(full_snapshot()));
}

TEST(Snapshot, WithoutTreesIsAFileOfTheFirstVersion) {
  const std::string bytes = write_snapshot(small_snapshot());
  EXPECT_EQ(bytes[8], 1);
  const Result<Snapshot> read = read_snapshot(bytes);
  ASSERT_TRUE(read.ok()) << read.status().to_string();
  EXPECT_EQ(*read, small_snapshot());
  EXPECT_EQ(write_snapshot(full_snapshot())[8], 2);
}

TEST(Snapshot, KeepsWhatEachDeviceLearned) {
  for (const bool with_trees : {true, false}) {
    Snapshot snapshot = learned_snapshot();
    if (!with_trees) snapshot.trees = {};
    const std::string bytes = write_snapshot(snapshot);
    EXPECT_EQ(bytes[8], 3);
    const Result<Snapshot> read = read_snapshot(bytes);
    ASSERT_TRUE(read.ok()) << read.status().to_string();
    EXPECT_EQ(*read, snapshot);
    EXPECT_EQ(read->online_of("h100"), snapshot.learned[1].state);
    EXPECT_EQ(read->online_of("l40"), snapshot.online);
  }
}

TEST(Snapshot, OfAnEarlierVersionIsWhatEveryDeviceBeginsWith) {
  const std::string bytes = write_snapshot(full_snapshot());  // a correction is in it
  EXPECT_EQ(bytes[8], 2);
  const Result<Snapshot> read = read_snapshot(bytes);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->online_of("a100").mean[3], 0.125);
  EXPECT_EQ(write_snapshot(*read), bytes);
}

TEST(Snapshot, WithALaterVersionThanItNeedsIsRefused) {
  std::string bytes = write_snapshot(learned_snapshot());
  bytes[8] = 2;
  EXPECT_THAT(read_snapshot(resealed(bytes)),
              FailsWith(StatusCode::kCorrupt, HasSubstr("section")));
}

TEST(Snapshot, WhoseDevicesAreOutOfOrderIsRefused) {
  Snapshot snapshot = learned_snapshot();
  std::swap(snapshot.learned[0], snapshot.learned[1]);
  EXPECT_THAT(read_snapshot(write_snapshot(snapshot)),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("order")));
  snapshot = learned_snapshot();
  snapshot.learned[1].state.features[0] = 1;
  EXPECT_THAT(snapshot.validate(),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("h100 learned with other")));
}

TEST(Snapshot, WithTreesOfUnknownFeaturesIsRefused) {
  Snapshot snapshot = full_snapshot();
  snapshot.trees.feature[0] = 999;
  EXPECT_THAT(read_snapshot(write_snapshot(snapshot)),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("unknown feature")));
}

TEST(Snapshot, SurvivesAFile) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "model").string();
  ASSERT_TRUE(save_snapshot(full_snapshot(), path).ok());
  const Result<Snapshot> read = load_snapshot(path);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(*read, full_snapshot());
}

TEST(Snapshot, ThatIsNotThereIsNotFound) {
  EXPECT_THAT(load_snapshot("/nonexistent/model"),
              FailsWith(StatusCode::kNotFound, HasSubstr("/nonexistent/model")));
}

TEST(Snapshot, IsRefusedWithAnyByteChanged) {
  const std::string bytes = write_snapshot(small_snapshot());
  for (size_t i = 0; i < bytes.size(); i += 13) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x20);
    EXPECT_FALSE(read_snapshot(damaged).ok()) << i;
  }
}

TEST(Snapshot, IsRefusedAtAnyLength) {
  const std::string bytes = write_snapshot(small_snapshot());
  for (size_t length = 0; length < bytes.size(); length += 37) {
    EXPECT_THAT(read_snapshot(bytes.substr(0, length)),
                FailsWith(StatusCode::kCorrupt, ::testing::_));
  }
}

TEST(Snapshot, OfAnotherVersionIsUnsupported) {
  std::string bytes = write_snapshot(small_snapshot());
  bytes[8] = 9;
  EXPECT_THAT(read_snapshot(resealed(bytes)),
              FailsWith(StatusCode::kUnsupported, HasSubstr("version 9")));
}

TEST(Snapshot, OfOtherFeaturesNamesTheFirstThatDiffers) {
  Snapshot other = small_snapshot();
  other.schema_hash ^= 1;
  other.feature_names[4] = "element_bits";
  EXPECT_THAT(read_snapshot(write_snapshot(other)),
              FailsWith(StatusCode::kUnsupported, HasSubstr("element_bits")));
}

TEST(Snapshot, WithoutARankNetIsRefused) {
  Snapshot none = small_snapshot();
  none.nets = {drawn_net(NetRole::kLevel, 1)};
  EXPECT_THAT(none.validate(), FailsWith(StatusCode::kInvalidArgument, HasSubstr("rank net")));
}

TEST(Snapshot, WhoseVendorNetReadsTheConfigIsRefused) {
  Snapshot snapshot = small_snapshot();
  snapshot.nets.push_back(drawn_net(NetRole::kLevel, 1));
  snapshot.nets.back().role = NetRole::kVendor;
  EXPECT_THAT(snapshot.validate(), FailsWith(StatusCode::kInvalidArgument, HasSubstr("vendor")));
}

// Whatever the weights have become, the configs stand in an order, or the model says that it
// cannot.
bool ranks_in_order(const Snapshot& snapshot) {
  const Result<CostModel> model = CostModel::make(snapshot);
  if (!model.ok()) return false;
  const Problem problem = Problem::mm(DType::kF16, 512, 256, 1024);
  const Result<Ranking> ranking = model->rank(task_of(problem), all_configs());
  if (!ranking.ok()) return ranking.status().code() == StatusCode::kUnsupported;
  const std::vector<Candidate>& order = ranking->candidates;
  return std::all_of(order.begin(), order.end(),
                     [](const Candidate& one) { return std::isfinite(one.score); }) &&
         std::is_sorted(order.begin(), order.end(),
                        [](const Candidate& a, const Candidate& b) { return a.score < b.score; });
}

// Bytes changed, cut out, doubled and put in, under a right checksum: any answer but a crash will
// do, and what is accepted must be whole, and rank.
TEST(Snapshot, IsSafeToReadFromAHostileFile) {
  const std::string bytes = write_snapshot(learned_snapshot());
  const int rounds = std::getenv("TRIODE_TEST_LONG") != nullptr ? 20000 : 400;
  Random random(17);
  int accepted = 0;
  for (int round = 0; round < rounds; ++round) {
    std::string mutated = bytes;
    for (uint64_t edits = 1 + random.below(4); edits > 0; --edits) {
      const size_t at = random.below(mutated.size());
      const size_t length = std::min<size_t>(1 + random.below(16), mutated.size() - at);
      switch (random.below(4)) {
        case 0:
          mutated[at] = static_cast<char>(random.next());
          break;
        case 1:
          std::memset(mutated.data() + at, static_cast<int>(random.below(2) * 255), length);
          break;
        case 2:
          mutated.erase(at, length);
          break;
        default:
          mutated.insert(at, mutated, at, length);
      }
    }
    // A length that fits, half of the time, so that the sections are reached.
    const uint64_t size = mutated.size();
    if (random.below(2) == 0 && size > 20) std::memcpy(mutated.data() + 12, &size, sizeof size);
    const Result<Snapshot> read = read_snapshot(resealed(mutated));
    if (!read.ok()) continue;
    ++accepted;
    EXPECT_TRUE(read->validate().ok());
    EXPECT_TRUE(ranks_in_order(*read));
  }
  EXPECT_GT(accepted, 0);       // some edits change a weight and nothing else
  EXPECT_LT(accepted, rounds);  // and some are found out
}

}  // namespace
}  // namespace triode
