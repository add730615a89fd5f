// SPDX-License-Identifier: Apache-2.0
#include "learner/train/split.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>
#include <unordered_set>

#include "core/key.h"
#include "core/random.h"
#include "core/sha256.h"

namespace triode::train {
namespace {

bool is_synthetic(const TimedProblem& timed) {
  return std::string_view(timed.source).ends_with("_mm");
}

void append_bits(double value, std::string& out) {
  const auto bits = std::bit_cast<uint64_t>(value);
  for (int shift = 0; shift < 64; shift += 8) out.push_back(static_cast<char>(bits >> shift));
}

std::string identity_of(const TimedProblem& timed) {
  return timed.device->name + '\n' + timed.source + '\n' + to_string(timed.problem) + '\n';
}

std::string hash_of_sorted(std::vector<std::string> lines) {
  std::sort(lines.begin(), lines.end());
  std::string all;
  for (const std::string& line : lines) all += line;
  return to_hex(sha256(all));
}

}  // namespace

uint64_t shape_group(const Problem& problem) {
  std::array<int64_t, 3> sizes{problem.m, problem.n, problem.k};
  std::sort(sizes.begin(), sizes.end());
  std::string text;
  for (const int64_t size : sizes) text += std::to_string(size) + ',';
  return hash_bytes(text);
}

std::vector<Split> grouped_folds(std::span<const TimedProblem> problems, size_t folds,
                                 uint64_t seed) {
  std::vector<Split> splits(folds);
  for (size_t i = 0; i < problems.size(); ++i) {
    Random random(shape_group(problems[i].problem) ^ (seed * 0x9E3779B97F4A7C15u));
    const size_t fold = random.below(folds);
    for (size_t f = 0; f < folds; ++f) {
      (f == fold ? splits[f].test : splits[f].train).push_back(i);
    }
  }
  return splits;
}

Split shift_split(std::span<const TimedProblem> problems) {
  std::unordered_set<uint64_t> tested;
  for (const TimedProblem& timed : problems) {
    if (!is_synthetic(timed)) tested.insert(shape_group(timed.problem));
  }
  Split split;
  for (size_t i = 0; i < problems.size(); ++i) {
    if (!is_synthetic(problems[i])) {
      split.test.push_back(i);
    } else if (!tested.contains(shape_group(problems[i].problem))) {
      split.train.push_back(i);
    }
  }
  return split;
}

std::string split_digest(std::span<const TimedProblem> problems, std::span<const Split> splits) {
  std::vector<std::string> lines;
  for (size_t f = 0; f < splits.size(); ++f) {
    const std::string fold = std::to_string(f);
    for (const size_t i : splits[f].train)
      lines.push_back("train " + fold + ' ' + identity_of(problems[i]));
    for (const size_t i : splits[f].test)
      lines.push_back("test " + fold + ' ' + identity_of(problems[i]));
  }
  return hash_of_sorted(std::move(lines));
}

std::string data_digest(std::span<const TimedProblem> problems) {
  std::vector<std::string> lines;
  for (const TimedProblem& timed : problems) {
    std::string line = identity_of(timed);
    for (size_t i = 0; i < timed.configs.size(); ++i) {
      line += timed.space->to_string(timed.configs[i]) + '=';
      append_bits(timed.seconds[i], line);
    }
    append_bits(timed.vendor_s.value_or(0), line);
    lines.push_back(std::move(line));
  }
  return hash_of_sorted(std::move(lines));
}

}  // namespace triode::train
