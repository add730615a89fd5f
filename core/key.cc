// SPDX-License-Identifier: Apache-2.0
#include "core/key.h"

#include <bit>
#include <cassert>
#include <cstddef>

namespace triode {
namespace {

// Odd, with bits all over: multiplying by it is a bijection that carries low bits upward.
constexpr uint64_t kMultiplier = 0x9E3779B97F4A7C15u;

// For a given `hash` a bijection of `word`, and the other way round. A chain of these therefore
// never maps two inputs that differ in one word to the same value. The shift brings high bits back
// down.
constexpr uint64_t mix(uint64_t hash, uint64_t word) {
  const uint64_t product = (hash ^ word) * kMultiplier;
  return product ^ (product >> 32);
}

// SplitMix64's finish: each bit of the result depends on every bit of the input.
constexpr uint64_t finish(uint64_t hash) {
  hash = (hash ^ (hash >> 30)) * 0xBF58476D1CE4E5B9u;
  hash = (hash ^ (hash >> 27)) * 0x94D049BB133111EBu;
  return hash ^ (hash >> 31);
}

// The fields of a byte or less, side by side. Each has room for all its values, so none hides
// another.
uint64_t pack_small_fields(const Problem& problem) {
  uint64_t word = 0;
  const auto push = [&word](uint64_t value, int bits) { word = word << bits | value; };
  push(static_cast<uint64_t>(problem.op), 8);
  push(static_cast<uint64_t>(problem.a_type), 8);
  push(static_cast<uint64_t>(problem.b_type), 8);
  push(static_cast<uint64_t>(problem.c_type), 8);
  push(static_cast<uint64_t>(problem.accumulator), 8);
  push(static_cast<uint64_t>(problem.epilogue), 8);
  push(static_cast<uint64_t>(problem.alpha), 4);
  push(static_cast<uint64_t>(problem.beta), 4);
  push(problem.a_transposed, 1);
  push(problem.b_transposed, 1);
  return word;
}

// Little-endian on every machine, so that hashes can be stored.
uint64_t load_bytes(std::string_view bytes) {
  assert(bytes.size() <= 8);
  uint64_t word = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    word |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  return word;
}

// Ends a component. The end mark is part of the prefix, or the prefix of "threads=1" would also
// find "threads=16".
std::string ended(std::string component) {
  assert(component.find('\n') == std::string::npos);
  component += '\n';
  return component;
}

}  // namespace

uint64_t hash_of(const Problem& problem) {
  const auto word = [](int64_t value) { return static_cast<uint64_t>(value); };
  // Two chains of six, which the processor runs side by side: half the latency of one of twelve.
  uint64_t first = 1;
  first = mix(first, word(problem.m));
  first = mix(first, word(problem.k));
  first = mix(first, word(problem.ldb));
  first = mix(first, word(problem.batch));
  first = mix(first, word(problem.b_batch_stride));
  first = mix(first, pack_small_fields(problem));

  uint64_t second = 2;
  second = mix(second, word(problem.n));
  second = mix(second, word(problem.lda));
  second = mix(second, word(problem.ldc));
  second = mix(second, word(problem.a_batch_stride));
  second = mix(second, word(problem.c_batch_stride));
  second = mix(second, uint64_t{static_cast<uint32_t>(problem.threads)} << 32 |
                           static_cast<uint32_t>(problem.alignment_bytes));
  return finish(first ^ std::rotl(second, 31));
}

uint64_t hash_bytes(std::string_view bytes, uint64_t seed) {
  uint64_t hash = mix(seed + kMultiplier, bytes.size());
  while (bytes.size() >= 8) {
    hash = mix(hash, load_bytes(bytes.substr(0, 8)));
    bytes.remove_prefix(8);
  }
  return finish(mix(hash, load_bytes(bytes)));
}

std::string target_key(const Target& target) {
  return ended(target.fingerprint());
}

std::string problem_key(const Target& target, const Problem& problem) {
  return target_key(target) + ended(to_string(problem));
}

std::string config_key(const Target& target, const Problem& problem, const Space& space,
                       const Config& config) {
  std::string config_text = space.to_string(config);
  assert(config_text.find('\n') == std::string::npos);
  return problem_key(target, problem) + config_text;
}

}  // namespace triode
