// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/machine_limits.h"

#include <immintrin.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <thread>

namespace triode::bench {
namespace {

// Long enough that the clock frequency has settled, short enough to fit between two interruptions.
constexpr std::int64_t kFmaTurns = 400'000;
constexpr int kFmaRepeats = 12;

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kLargestSet = 256 * kMiB;
constexpr int kReadRepeats = 4;

// Independent chains: more than the latency of an FMA times the units that run them (4 cycles x 2).
constexpr int kChains = 12;

// Turns over the chains; returns the multiply-adds done per lane. The asm statement keeps the
// compiler from seeing that the values do not matter.
__attribute__((target("avx2,fma"))) double fma_turns_avx2(std::int64_t turns) {
  __m256 sums[kChains];
  for (auto& sum : sums) sum = _mm256_set1_ps(1.0F);
  __m256 factor = _mm256_set1_ps(0.5F);
  for (std::int64_t i = 0; i < turns; ++i) {
#pragma GCC unroll 12
    for (auto& sum : sums) {
      sum = _mm256_fmadd_ps(sum, factor, factor);
      asm volatile("" : "+x"(sum));
    }
  }
  return static_cast<double>(turns) * kChains;
}

__attribute__((target("avx512f"))) double fma_turns_avx512(std::int64_t turns) {
  __m512 sums[kChains];
  for (auto& sum : sums) sum = _mm512_set1_ps(1.0F);
  __m512 factor = _mm512_set1_ps(0.5F);
  for (std::int64_t i = 0; i < turns; ++i) {
#pragma GCC unroll 12
    for (auto& sum : sums) {
      sum = _mm512_fmadd_ps(sum, factor, factor);
      asm volatile("" : "+v"(sum));
    }
  }
  return static_cast<double>(turns) * kChains;
}

using FmaTurns = double (*)(std::int64_t);

// The peak depends on the width of the vectors alone.
FmaTurns fma_turns_for(x86::IsaId isa) {
  return isa == x86::IsaId::kAvx512 ? fma_turns_avx512 : fma_turns_avx2;
}

// Loads every line of the bytes; four chains, since one would wait for its own additions.
__attribute__((target("avx2"))) void read_all(const char* data, std::size_t bytes) {
  __m256i sums[4] = {};
  const auto* const vectors = reinterpret_cast<const __m256i*>(data);
  for (std::size_t i = 0; i + 4 <= bytes / sizeof(__m256i); i += 4) {
#pragma GCC unroll 4
    for (std::size_t j = 0; j < 4; ++j) {
      sums[j] = _mm256_xor_si256(sums[j], _mm256_load_si256(vectors + i + j));
    }
  }
  for (auto& sum : sums) asm volatile("" : "+x"(sum));
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Shortest time in seconds in which all threads together did `work(thread)`.
double shortest_time(int threads, int repeats, const std::function<void(int)>& work) {
  double shortest = 1e9;
  std::barrier gate(threads);
  const auto body = [&](int thread) {
    for (int i = 0; i < repeats; ++i) {
      gate.arrive_and_wait();
      const auto begin = std::chrono::steady_clock::now();
      work(thread);
      gate.arrive_and_wait();
      if (thread == 0) shortest = std::min(shortest, seconds_since(begin));
    }
  };
  std::vector<std::jthread> others;
  for (int thread = 1; thread < threads; ++thread) others.emplace_back(body, thread);
  body(0);
  others.clear();
  return shortest;
}

double fma_per_second(x86::IsaId isa, int threads) {
  const FmaTurns turns = fma_turns_for(isa);
  const double seconds = shortest_time(threads, kFmaRepeats, [turns](int) { turns(kFmaTurns); });
  return static_cast<double>(kFmaTurns) * kChains * threads / seconds;
}

struct AlignedFree {
  void operator()(char* memory) const { std::free(memory); }
};

// Reads the first bytes of `data`, shared out to the threads.
double bandwidth_over(const char* data, std::size_t bytes, int threads) {
  const std::size_t share = bytes / static_cast<std::size_t>(threads) / 4096 * 4096;
  const int passes = static_cast<int>(std::max<std::size_t>(1, 64 * kMiB / bytes));
  const double seconds = shortest_time(threads, kReadRepeats, [=](int thread) {
    for (int pass = 0; pass < passes; ++pass) {
      read_all(data + static_cast<std::size_t>(thread) * share, share);
    }
  });
  const double read = static_cast<double>(share) * threads * passes;
  return read / seconds / 1e9;
}

std::vector<ReadBandwidth> measure_bandwidths(int threads, const Target& target) {
  const std::unique_ptr<char, AlignedFree> memory(
      static_cast<char*>(std::aligned_alloc(4096, kLargestSet)));
  if (!memory) return {};
  std::fill_n(memory.get(), kLargestSet, 1);  // pages must exist, and differ from the zero page
  std::vector<ReadBandwidth> bandwidths;
  const auto measure = [&](std::size_t bytes) {
    const double gb_per_s = bandwidth_over(memory.get(), bytes, threads);
    bandwidths.push_back({static_cast<int64_t>(bytes), gb_per_s});
  };
  const auto beyond_l2 = 2 * static_cast<std::size_t>(l2_bytes(target, threads));
  for (std::size_t bytes = beyond_l2; bytes <= kLargestSet; bytes *= 4) measure(bytes);
  if (bandwidths.empty()) measure(kLargestSet);
  return bandwidths;
}

}  // namespace

MachineLimits measure_limits(x86::IsaId isa, int threads, const Target& target) {
  MachineLimits limits;
  limits.threads = threads;
  limits.isa = isa;
  const double fmas = fma_per_second(isa, threads);
  // An FMA of f64 takes as long on half the lanes.
  limits.f32_gflops = 2 * fmas * x86::describe(isa).lanes(sizeof(float)) / 1e9;
  limits.f64_gflops = 2 * fmas * x86::describe(isa).lanes(sizeof(double)) / 1e9;
  limits.bandwidths = measure_bandwidths(threads, target);
  return limits;
}

double reported_clock_mhz() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  std::string line;
  while (std::getline(cpuinfo, line)) {
    if (line.starts_with("cpu MHz")) return std::strtod(line.c_str() + line.find(':') + 1, nullptr);
  }
  return 0;
}

}  // namespace triode::bench
