// SPDX-License-Identifier: Apache-2.0
#include "core/key.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "tests/core/random_problem.h"

namespace triode {
namespace {

using ::testing::StartsWith;

// Every field of Problem, changed by itself.
const std::vector<std::function<void(Problem&)>> kChanges = {
    [](Problem& p) { p.op = Op::kAddmm; },
    [](Problem& p) { p.batch += 1; },
    [](Problem& p) { p.m += 1; },
    [](Problem& p) { p.n += 1; },
    [](Problem& p) { p.k += 1; },
    [](Problem& p) { p.a_type = DType::kI32; },
    [](Problem& p) { p.b_type = DType::kI32; },
    [](Problem& p) { p.c_type = DType::kI32; },
    [](Problem& p) { p.accumulator = DType::kTF32; },
    [](Problem& p) { p.a_transposed = !p.a_transposed; },
    [](Problem& p) { p.b_transposed = !p.b_transposed; },
    [](Problem& p) { p.lda += 1; },
    [](Problem& p) { p.ldb += 1; },
    [](Problem& p) { p.ldc += 1; },
    [](Problem& p) { p.a_batch_stride += 1; },
    [](Problem& p) { p.b_batch_stride += 1; },
    [](Problem& p) { p.c_batch_stride += 1; },
    [](Problem& p) { p.alignment_bytes = 32; },
    [](Problem& p) { p.epilogue = Epilogue::kBiasSilu; },
    [](Problem& p) { p.alpha = ScalarClass::kOther; },
    [](Problem& p) { p.beta = ScalarClass::kOther; },
    [](Problem& p) { p.threads += 1; },
};

TEST(HashOfProblem, ChangesWithEveryField) {
  const Problem problem = Problem::mm(DType::kF32, 64, 65, 66);
  std::set<uint64_t> hashes = {hash_of(problem)};
  for (const auto& change : kChanges) {
    Problem changed = problem;
    change(changed);
    hashes.insert(hash_of(changed));
  }
  EXPECT_EQ(hashes.size(), kChanges.size() + 1);
}

TEST(HashOfProblem, ChangesWithEveryBitOfASize) {
  const Problem problem = Problem::mm(DType::kF32, 64, 65, 66);
  std::set<uint64_t> hashes;
  for (int bit = 0; bit < 63; ++bit) {
    Problem changed = problem;
    changed.m ^= int64_t{1} << bit;
    hashes.insert(hash_of(changed));
    changed = problem;
    changed.ldc ^= int64_t{1} << bit;
    hashes.insert(hash_of(changed));
  }
  EXPECT_EQ(hashes.size(), 126u);
}

TEST(HashOfProblem, TellsExchangedNumbersApart) {
  EXPECT_NE(hash_of(Problem::mm(DType::kF32, 64, 128, 256)),
            hash_of(Problem::mm(DType::kF32, 128, 64, 256)));
  EXPECT_NE(hash_of(Problem::mm(DType::kF32, 64, 128, 256)),
            hash_of(Problem::mm(DType::kF32, 256, 128, 64)));
}

TEST(HashOfProblem, EqualProblemsHaveEqualHashes) {
  Random random(3);
  for (int i = 0; i < 1000; ++i) {
    const Problem problem = random_problem(random);
    ASSERT_EQ(hash_of(problem), hash_of(parse_problem(to_string(problem)).value()));
  }
}

// Shapes as programs have them: multiples of 64 in a grid, where a weak hash would clump.
std::vector<uint64_t> grid_hashes() {
  std::vector<uint64_t> hashes;
  for (int64_t m = 64; m <= 64 * 32; m += 64) {
    for (int64_t n = 64; n <= 64 * 32; n += 64) {
      for (int64_t k = 64; k <= 64 * 32; k += 64) {
        hashes.push_back(hash_of(Problem::mm(DType::kF32, m, n, k)));
      }
    }
  }
  return hashes;
}

// The fullest bucket if the hashes are put into 256 by eight of their bits.
int fullest_bucket(const std::vector<uint64_t>& hashes, int shift) {
  std::vector<int> counts(256);
  for (const uint64_t hash : hashes) ++counts[hash >> shift & 255];
  return *std::max_element(counts.begin(), counts.end());
}

TEST(HashOfProblem, RegularShapesDoNotCollide) {
  const std::vector<uint64_t> hashes = grid_hashes();
  EXPECT_EQ(std::set<uint64_t>(hashes.begin(), hashes.end()).size(), 32u * 32 * 32);
}

TEST(HashOfProblem, RegularShapesSpreadOverBucketsByAnyBits) {
  // 128 per bucket on average, with a standard deviation of 11: five of them above is 184.
  const std::vector<uint64_t> hashes = grid_hashes();
  for (int shift = 0; shift <= 56; shift += 8) EXPECT_LT(fullest_bucket(hashes, shift), 184);
}

TEST(HashOfProblem, IsTheSameOnEveryMachineAndRun) {
  EXPECT_EQ(hash_of(Problem::mm(DType::kF32, 512, 512, 512)), 0x40bd569c127abc2au);
  EXPECT_EQ(hash_of(Problem()), 0xb11577f84a96be90u);
}

TEST(HashBytes, IsTheSameOnEveryMachineAndRun) {
  EXPECT_EQ(hash_bytes(""), 0xe84a3d2a8285593eu);
  EXPECT_EQ(hash_bytes("mm f32 512x512x512 nt ld-aligned"), 0x3e850a525c9d14eau);
  EXPECT_EQ(hash_bytes("\xff\x80", 7), 0x4f002f2a325667bcu);
}

TEST(HashBytes, ChangesWithEveryByte) {
  const std::string text = "nineteen bytes long";
  std::set<uint64_t> hashes = {hash_bytes(text)};
  for (size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] ^= '\x80';
    hashes.insert(hash_bytes(changed));
  }
  EXPECT_EQ(hashes.size(), text.size() + 1);
}

TEST(HashBytes, ChangesWithTheLength) {
  std::set<uint64_t> hashes;
  for (size_t length = 0; length < 40; ++length)
    hashes.insert(hash_bytes(std::string(length, '\0')));
  EXPECT_EQ(hashes.size(), 40u);
}

TEST(HashBytes, ChangesWithTheSeed) {
  EXPECT_NE(hash_bytes("abc", 1), hash_bytes("abc", 2));
}

class Keys : public ::testing::Test {
 protected:
  Keys() {
    space_.add({"mr", {4, 6, 8}, {}});
    space_.add({"edge", {0, 1}, {"masked", "balanced"}});
  }

  Target target_ = {.device = "cpu",
                    .isa = "avx2",
                    .toolchain = "asmjit",
                    .driver = "",
                    .cores = 2,
                    .l1_bytes = 1,
                    .l2_bytes = 2,
                    .l3_bytes = 3};
  Problem problem_ = Problem::mm(DType::kF32, 50, 60, 70);
  Space space_;
};

TEST_F(Keys, AreReadable) {
  EXPECT_EQ(config_key(target_, problem_, space_, space_.at(3)),
            "cpu|avx2|asmjit||2|1|2|3\n"
            "mm f32 50x60x70 nn\n"
            "mr=6 edge=balanced");
}

TEST_F(Keys, StartWithTheKeyOfWhatTheyBelongTo) {
  EXPECT_THAT(problem_key(target_, problem_), StartsWith(target_key(target_)));
  EXPECT_THAT(config_key(target_, problem_, space_, space_.at(0)),
              StartsWith(problem_key(target_, problem_)));
}

TEST_F(Keys, PrefixOfAProblemFindsNoOther) {
  problem_.threads = 2;
  Problem longer = problem_;
  longer.threads = 24;
  EXPECT_THAT(problem_key(target_, longer), Not(StartsWith(problem_key(target_, problem_))));
}

TEST_F(Keys, PrefixOfATargetFindsNoOther) {
  Target longer = target_;
  longer.l3_bytes = 30;
  EXPECT_THAT(problem_key(longer, problem_), Not(StartsWith(target_key(target_))));
}

TEST_F(Keys, LineEndInADeviceNameStaysInsideItsComponent) {
  target_.device = "cpu\nmm f32";
  const std::string key = target_key(target_);
  EXPECT_EQ(std::count(key.begin(), key.end(), '\n'), 1);
  EXPECT_EQ(key.back(), '\n');
}

TEST_F(Keys, DifferByConfig) {
  std::set<std::string> keys;
  for (const Config& config : space_.enumerate()) {
    keys.insert(config_key(target_, problem_, space_, config));
  }
  EXPECT_EQ(keys.size(), 6u);
}

TEST_F(Keys, DifferByEveryFieldOfTheTarget) {
  std::set<std::string> keys = {target_key(target_)};
  const std::vector<std::function<void(Target&)>> changes = {
      [](Target& t) { t.device += 'x'; },    [](Target& t) { t.isa += 'x'; },
      [](Target& t) { t.toolchain += 'x'; }, [](Target& t) { t.driver += 'x'; },
      [](Target& t) { t.cores = 9; },        [](Target& t) { t.l1_bytes = 9; },
      [](Target& t) { t.l2_bytes = 9; },     [](Target& t) { t.l3_bytes = 9; }};
  for (const auto& change : changes) {
    Target changed = target_;
    change(changed);
    keys.insert(target_key(changed));
  }
  EXPECT_EQ(keys.size(), changes.size() + 1);
}

TEST_F(Keys, AreEqualOnlyForEqualProblems) {
  Random random(4);
  std::map<std::string, Problem> problems;
  for (int i = 0; i < 5000; ++i) {
    const Problem problem = random_problem(random);
    const auto [entry, is_new] = problems.emplace(problem_key(target_, problem), problem);
    ASSERT_EQ(entry->second, problem) << entry->first;
  }
}

TEST_F(Keys, SortedKeysKeepTheConfigsOfAProblemTogether) {
  Random random(5);
  std::map<std::string, std::string> owner_of_key;
  for (int i = 0; i < 200; ++i) {
    const Problem problem = random_problem(random);
    const std::string owner = problem_key(target_, problem);
    owner_of_key[owner] = owner;
    for (const Config& config : space_.enumerate()) {
      owner_of_key[config_key(target_, problem, space_, config)] = owner;
    }
  }
  std::vector<std::string> runs;
  for (const auto& [key, owner] : owner_of_key) {
    if (runs.empty() || runs.back() != owner) runs.push_back(owner);
  }
  EXPECT_EQ(std::set<std::string>(runs.begin(), runs.end()).size(), runs.size());
}

}  // namespace
}  // namespace triode
