// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/status.h"
#include "tools/bench/command_line.h"

namespace triode::bench {

// What `triode bench cache` was asked to do. docs/cli/bench.md explains each.
struct CacheOptions : StandardOptions {
  std::uint64_t seed = 1;

  std::int64_t records = 1'000'000;
  std::int64_t batch = 4000;   // records written at once
  std::int64_t gets = 20'000;  // look-ups timed
  int openings = 7;            // timed
  std::string folder;          // where to; empty: the system's folder for temporary files
};

// Reads the arguments after `cache`. kInvalidArgument says what was wrong and what is valid.
Result<CacheOptions> parse_cache_options(const std::vector<std::string>& arguments);

}  // namespace triode::bench
