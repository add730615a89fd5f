// SPDX-License-Identifier: Apache-2.0
#include "cache/key_codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/core/status_matchers.h"

namespace triode {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Texts of the bytes that mean something in keys, and some that do not.
std::string some_text(std::mt19937& random) {
  constexpr std::string_view kBytes = "a\\|n\n z0\xff";
  std::string text(random() % 6, ' ');
  for (char& c : text) c = kBytes[random() % kBytes.size()];
  return text;
}

Problem some_problem(std::mt19937& random) {
  const auto size = [&random] { return static_cast<int64_t>(1) << random() % 20; };
  Problem problem = Problem::mm(random() % 2 == 0 ? DType::kF32 : DType::kF16, size() + 1, size(),
                                size() - 1 + 1, random() % 2 == 0, random() % 2 == 0);
  problem.threads = static_cast<int32_t>(random() % 3 * 8 + 1);
  return problem;
}

SampleKey some_key(std::mt19937& random) {
  return {.device = some_text(random),
          .problem = to_string(some_problem(random)),
          .config = some_text(random),
          .validity = {.toolchain = some_text(random),
                       .driver = some_text(random),
                       .generator = some_text(random),
                       .source = some_text(random)}};
}

TEST(KeyCodec, ReadsWhatItWrote) {
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    const SampleKey key = some_key(random);
    SampleKey read;
    ASSERT_TRUE(decode_sample_key(sample_prefix(key) + trial_id(random()), read).ok()) << i;
    ASSERT_EQ(read, key) << i;
  }
}

TEST(KeyCodec, KeepsComponentsWithAnyBytesApart) {
  EXPECT_THAT(split_components(join_components({"a\nb", "\\", ""}) + "last"),
              ElementsAre("a\nb", "\\", "", "last"));
  EXPECT_NE(join_components({"a\n", "b"}), join_components({"a", "\nb"}));
}

TEST(KeyCodec, OnlyKeysOfAProblemBeginWithItsPrefix) {
  std::mt19937 random(2);
  std::vector<SampleKey> keys(200);
  for (SampleKey& key : keys) key = some_key(random);
  for (const SampleKey& one : keys) {
    const std::string prefix = problem_prefix(one.device, one.problem);
    for (const SampleKey& other : keys) {
      const bool is_same = one.device == other.device && one.problem == other.problem;
      ASSERT_EQ(sample_prefix(other).starts_with(prefix), is_same);
    }
  }
}

TEST(KeyCodec, SortsSizesAsNumbers) {
  std::mt19937 random(3);
  std::vector<Problem> problems(300);
  for (Problem& problem : problems) {
    problem = some_problem(random);
    problem.a_type = problem.b_type = problem.c_type = DType::kF32;
  }
  std::sort(problems.begin(), problems.end(), [](const Problem& a, const Problem& b) {
    return sortable_problem(to_string(a)) < sortable_problem(to_string(b));
  });
  EXPECT_TRUE(std::is_sorted(problems.begin(), problems.end(), [](const auto& a, const auto& b) {
    return std::tuple(a.m, a.n, a.k) < std::tuple(b.m, b.n, b.k);
  }));
}

TEST(KeyCodec, SaysHowManyDigitsASizeHas) {
  EXPECT_EQ(sortable_problem("mm f32 512x64x1024 nt ld=9,9,9"),
            "mm f32 c512xb64xd1024 nt ld=9,9,9");
  EXPECT_EQ(plain_problem("mm f32 c512xb64xd1024 nt ld=9,9,9"), "mm f32 512x64x1024 nt ld=9,9,9");
}

TEST(KeyCodec, PassesTextThatIsNoProblem) {
  for (const char* text : {"", "mm", "mm f32", "mm f32 x", "a b c d", "conv f16 axb2xc"}) {
    EXPECT_EQ(plain_problem(sortable_problem(text)), text);
  }
}

TEST(KeyCodec, FindsTheEndOfAPrefix) {
  const std::string prefix = join_components({"some", "problem"});
  EXPECT_GT(after_prefix(prefix), prefix + "\xff\xff");
  EXPECT_LT(after_prefix(prefix), join_components({"some", "problem 2"}));
}

TEST(KeyCodec, RefusesKeysThatAreNotOurs) {
  SampleKey key;
  for (const char* bytes :
       {"", "a", "a\nb\nc\nd", "a\nb\nc\nno validity\n1", "a\nb\nc\n|||\n1\n2"}) {
    EXPECT_THAT(decode_sample_key(bytes, key), FailsWith(StatusCode::kCorrupt, HasSubstr("key")))
        << bytes;
  }
}

TEST(KeyCodec, NumbersOfTrialsSortAsNumbers) {
  EXPECT_LT(trial_id(9), trial_id(10));
  EXPECT_LT(trial_id(0xFFFF), trial_id(0x10000));
  EXPECT_LT(trial_id(uint64_t{1} << 39), imported_trial_id("any record"));
}

}  // namespace
}  // namespace triode
