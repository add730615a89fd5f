// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/status.h"
#include "tools/bench/command_line.h"

namespace triode::bench {

// What `triode bench host-overhead` was asked to do. docs/cli/bench.md explains each.
struct HostOverheadOptions : StandardOptions {
  std::uint64_t seed = 1;

  std::vector<int> threads = {1};  // counts of calling threads, each measured
  int rounds = 501;                // samples of each contestant
  double budget_s = 0.4;           // of the search for a plan, per shape
  int counted_calls = 128;         // whose instructions are counted; 0: none
  int start_rounds = 15;           // of starts of a program with and without Triode; 0: none
  std::string library;             // empty: the one `triode run` would preload
};

// Reads the arguments after `host-overhead`. kInvalidArgument says what was wrong and what is
// valid.
Result<HostOverheadOptions> parse_host_overhead_options(const std::vector<std::string>& arguments);

}  // namespace triode::bench
