// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/cache_workload.h"

#include <algorithm>
#include <array>
#include <random>
#include <string>

#include "core/problem.h"

namespace triode::bench {
namespace {

constexpr std::int64_t kConfigsPerProblem = 200;
constexpr std::int64_t kNow = 1'800'000'000;

// Any number's own source of random bits.
std::mt19937_64 source_of(std::uint64_t seed, std::int64_t number) {
  return std::mt19937_64(seed * 0x9E3779B97F4A7C15u + static_cast<std::uint64_t>(number));
}

std::string problem_text(std::uint64_t seed, std::int64_t problem) {
  std::mt19937_64 random = source_of(seed ^ 0x70726f626c656du, problem);
  const auto size = [&random] { return static_cast<std::int64_t>(1 + random() % 8192); };
  const auto size_m = size(), size_n = size(), size_k = size();
  Problem made = Problem::mm(DType::kF32, size_m, size_n, size_k, false, random() % 2 == 0);
  made.threads = random() % 4 == 0 ? 8 : 1;
  return to_string(made);
}

// One of 200 different configs, in the words of the x86 kernels.
std::string config_text(std::int64_t config) {
  constexpr std::array<int, 5> kRows = {2, 4, 6, 8, 12};
  constexpr std::array<int, 4> kColumns = {8, 16, 24, 32};
  constexpr std::array<int, 10> kDepths = {64, 96, 128, 192, 256, 320, 384, 512, 768, 1024};
  const auto at = [&config](const auto& values) {
    const auto count = static_cast<std::int64_t>(values.size());
    const int value = values[static_cast<size_t>(config % count)];
    config /= count;
    return std::to_string(value);
  };
  std::string text = "strategy=outer isa=avx2 mr=" + at(kRows);
  text += " nr=" + at(kColumns);
  text += " mc=192 nc=2048 kc=" + at(kDepths);
  return text + " pack_a=no pack_b=yes unroll=4 prefetch_c=yes threads=1";
}

}  // namespace

KeyedTrial CacheWorkload::trial(std::int64_t number) const {
  std::mt19937_64 random = source_of(seed_, number);
  std::lognormal_distribution<double> time(9, 2);
  std::uniform_real_distribution<double> share(0, 1);
  KeyedTrial trial;
  trial.key = {
      .device = "Intel(R) Xeon(R) Processor @ 2.60GHz|avx512|16|49152|2097152|110100480",
      .problem = problem_text(seed_, number / kConfigsPerProblem),
      .config = config_text(number % kConfigsPerProblem),
      .validity = {
          .toolchain = "asmjit 1.13 emitter 7", .driver = {}, .generator = {}, .source = {}}};
  const double median = time(random);
  const double speedup = 0.5 + share(random);
  trial.record = {.outcome = {},
                  .measurement = {.median_ns = median,
                                  .min_ns = median * (1 - 0.05 * share(random)),
                                  .spread = 0.02 * share(random),
                                  .count = static_cast<std::int32_t>(5 + random() % 30)},
                  .when_unix_s = kNow + number / 20,
                  .vendor = VendorTime{.median_ns = median * speedup,
                                       .speedup = speedup,
                                       .speedup_spread = 0.02 * share(random)}};
  return trial;
}

std::vector<KeyedTrial> CacheWorkload::batch(std::int64_t begin, std::int64_t end) const {
  std::vector<KeyedTrial> trials;
  trials.reserve(static_cast<size_t>(end - begin));
  for (std::int64_t number = begin; number < end; ++number) trials.push_back(trial(number));
  return trials;
}

std::vector<std::int64_t> CacheWorkload::draw(std::int64_t count) const {
  std::mt19937_64 random = source_of(seed_, -1);
  std::vector<std::int64_t> numbers(static_cast<size_t>(count));
  for (std::int64_t& number : numbers) {
    number = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(records_));
  }
  return numbers;
}

}  // namespace triode::bench
