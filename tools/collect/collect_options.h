// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/dtype.h"
#include "core/status.h"
#include "jit/x86/vector_isa.h"

namespace triode::collect {

// What `triode collect --help` prints.
std::string_view help_text();

// The command line of `triode collect`.
struct CollectOptions {
  bool help = false;
  bool version = false;
  bool json = false;
  bool quiet = false;
  std::string cache;        // folder; empty: the user's
  std::string set;          // built-in set of shapes; empty: none
  std::string shapes;       // file of shapes; empty: none
  size_t random = 0;        // random shapes besides
  double most_flops = 2e9;  // larger shapes are left out
  std::vector<DType> dtypes;
  std::vector<int32_t> threads;
  std::vector<x86::IsaId> isas;  // empty: all that run here
  size_t configs = 100;          // of each problem; more covers more of the space
  std::chrono::nanoseconds trial{};
  std::string vendor = "openblas";
  std::string venv;  // holds vendors that come with Python
  uint64_t seed = 1;
  std::string export_file;  // writes what the cache holds there, and measures nothing
};

// Takes the arguments after `triode collect`. `cores` is what `--threads all` means.
// kInvalidArgument says what is wrong.
Result<CollectOptions> parse_collect_options(const std::vector<std::string>& arguments,
                                             int32_t cores);

}  // namespace triode::collect
