// SPDX-License-Identifier: Apache-2.0
// Runs a target without libFuzzer: every file given, then mutations of them drawn by a fixed seed,
// so that each run makes the same inputs. TRIODE_TEST_LONG=1 makes fifty times as many.
//
// Usage: TARGET RUNS FILE...

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "core/random.h"
#include "tests/core/text_mutation.h"
#include "tests/fuzz/fuzz_target.h"

namespace {

void run_target(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
}

bool read_corpus(char** begin, char** end, std::vector<std::string>& corpus) {
  for (char** name = begin; name != end; ++name) {
    std::ifstream file(*name, std::ios::binary);
    if (!file) {
      std::fprintf(stderr, "cannot read %s\n", *name);
      return false;
    }
    corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return !corpus.empty();
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> corpus;
  if (argc < 3 || !read_corpus(argv + 2, argv + argc, corpus)) {
    std::fprintf(stderr, "usage: %s RUNS FILE...\n", argc > 0 ? argv[0] : "fuzz");
    return 2;
  }
  const char* is_long = std::getenv("TRIODE_TEST_LONG");
  const long factor = is_long != nullptr && std::string_view(is_long) == "1" ? 50 : 1;
  const long runs = std::strtol(argv[1], nullptr, 10) * factor;
  for (const std::string& input : corpus) run_target(input);
  triode::Random random(20260101);
  for (long i = 0; i < runs; ++i) {
    run_target(triode::mutated(corpus[random.below(corpus.size())], random));
  }
  std::printf("%ld inputs\n", runs + static_cast<long>(corpus.size()));
  return 0;
}
