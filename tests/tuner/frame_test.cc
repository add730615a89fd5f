// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/frame.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/random.h"

namespace triode::tuner {
namespace {

TEST(FrameReader, PutsAFrameTogetherFromSingleBytes) {
  const Frame sent{1, 5, "payload"};
  FrameReader reader(100);
  for (const char byte : to_bytes(sent)) {
    ASSERT_FALSE(reader.next().value().has_value());
    reader.feed({&byte, 1});
  }
  EXPECT_EQ(reader.next().value(), sent);
  EXPECT_FALSE(reader.next().value().has_value());
}

TEST(FrameReader, TakesFramesApartThatCameAtOnce) {
  FrameReader reader(100);
  reader.feed(to_bytes({1, 5, "one"}) + to_bytes({1, 6, ""}) + to_bytes({2, 7, "three"}));
  EXPECT_EQ(reader.next().value()->payload, "one");
  EXPECT_EQ(reader.next().value()->type, 6);
  EXPECT_EQ(reader.next().value()->version, 2);
}

TEST(FrameReader, RefusesOtherBytesAtTheFirst) {
  FrameReader reader(100);
  reader.feed("G");
  EXPECT_EQ(reader.next().status().code(), StatusCode::kCorrupt);
}

TEST(FrameReader, RefusesATooLongPayloadBeforeItCame) {
  FrameReader reader(3);
  reader.feed(to_bytes({1, 5, "four"}).substr(0, kFrameHeaderBytes));
  EXPECT_EQ(reader.next().status().code(), StatusCode::kCorrupt);
  EXPECT_EQ(reader.next().status().code(), StatusCode::kCorrupt);
}

TEST(FrameReader, DamagedStreamsEndInAnErrorOrInFrames) {
  const std::string whole = to_bytes({1, 5, std::string(50, 'x')}) + to_bytes({1, 6, "end"});
  Random random(11);
  for (int round = 0; round < 5000; ++round) {
    std::string bytes = whole;
    bytes[random.below(bytes.size())] = static_cast<char>(random.below(256));
    FrameReader reader(1000);
    reader.feed(bytes);
    size_t frames = 0;
    for (auto frame = reader.next(); frame.ok() && frame->has_value(); frame = reader.next()) {
      ++frames;
    }
    ASSERT_LE(frames, 4u);
  }
}

}  // namespace
}  // namespace triode::tuner
