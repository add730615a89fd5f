// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/config.h"
#include "core/problem.h"
#include "core/space.h"
#include "core/target.h"

namespace triode {

// Hash of an exact call, for probing the plan table. Never the identity: an entry that matches
// compares the whole Problem, so a collision is a miss. No allocation. The same on every machine
// and run.
uint64_t hash_of(const Problem& problem);

// 64-bit hash of bytes, the same on every machine; not for hostile input.
uint64_t hash_bytes(std::string_view bytes, uint64_t seed = 0);

// Identity of a measurement in the cache: readable, canonical, and ordered so that all configs of a
// problem share a prefix, as do all problems of a target. Components are joined by '\n', which none
// of them contains; target_key and problem_key end in one, so that they are prefixes of their own
// only.
std::string target_key(const Target& target);
std::string problem_key(const Target& target, const Problem& problem);
std::string config_key(const Target& target, const Problem& problem, const Space& space,
                       const Config& config);

}  // namespace triode
