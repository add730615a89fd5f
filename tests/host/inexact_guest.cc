// SPDX-License-Identifier: Apache-2.0
// inexact_guest SIZE COUNT: makes the same call COUNT times, of numbers whose sums depend on their
// order, and says the digest of every bit of the last result.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "tests/host/guest_matmul.h"

extern "C" long stand_in_calls();

namespace {

std::vector<float> fractions(size_t count, uint32_t seed) {
  std::vector<float> numbers(count);
  for (float& number : numbers) {
    seed = seed * 1664525u + 1013904223u;
    number = static_cast<float>(seed >> 8) * 0x1p-24f - 0.5f;
  }
  return numbers;
}

long long digest(const std::vector<float>& numbers) {
  uint64_t sum = 0;
  for (const float number : numbers) {
    uint32_t bits = 0;
    std::memcpy(&bits, &number, sizeof bits);
    sum = sum * 0x9E3779B97F4A7C15u + bits;
  }
  return static_cast<long long>(sum >> 1);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return 2;
  const int size = std::atoi(arguments[1]);
  const size_t elements = static_cast<size_t>(size) * static_cast<size_t>(size);
  const std::vector<float> a = fractions(elements, 1), b = fractions(elements, 2);
  std::vector<float> c(elements);
  for (int i = std::atoi(arguments[2]); i > 0; --i) {
    cblas_sgemm(guest::kRowMajor, guest::kNoTranspose, guest::kNoTranspose, size, size, size, 1,
                a.data(), size, b.data(), size, 0, c.data(), size);
  }
  guest::say("digest", digest(c));
  guest::say("vendor_calls", stand_in_calls());
}
