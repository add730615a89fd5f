// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "core/status.h"
#include "tools/bench/command_line.h"

namespace triode::bench {

// What `triode bench tuner` was asked to do. docs/cli/bench.md explains each.
struct TunerBenchOptions : StandardOptions {
  std::uint64_t seed = 1;

  std::size_t shapes = 200;
  int rounds = 51;  // samples of a pair
  std::set<std::string> parts = {"pairs", "convergence", "interference", "first-calls", "programs"};
  std::vector<std::string> vendors = {"openblas", "openblas-new"};
  std::string cache;  // empty: one for temporary use
  std::string venv;   // Python environment with the newest OpenBLAS and numpy; may be empty

  // What --quick makes small; not to be set otherwise.
  std::size_t convergence_shapes = 20;
  std::size_t unseen_shapes = 60;  // that the tuner works at while the foreground is watched
  std::size_t first_calls = 2000;
  int windows = 24;  // in turns with the tuner and without it
  double window_s = 0.75;
  int program_rounds = 7;
  double program_s = 2;  // that a program is to take without Triode
};

// Reads the arguments after `tuner`. kInvalidArgument says what was wrong and what is valid.
Result<TunerBenchOptions> parse_tuner_options(const std::vector<std::string>& arguments);

}  // namespace triode::bench
