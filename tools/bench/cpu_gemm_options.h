// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/dtype.h"
#include "core/status.h"
#include "jit/x86/vector_isa.h"
#include "tools/bench/command_line.h"

namespace triode::bench {

// On how many threads to measure.
enum class ThreadPasses : std::uint8_t {
  kSingle,  // one
  kMany,    // `threads`
  kBoth,    // one; then, the shapes bound by computing, on `threads`
};

// What `triode bench cpu-gemm` was asked to do. docs/cli/bench.md explains each.
struct CpuGemmOptions : StandardOptions {
  std::uint64_t seed = 1;

  std::string set;          // empty: none asked for
  std::string shapes_file;  // empty: none
  std::size_t random = 0;   // shapes to draw
  DType dtype = DType::kF32;
  std::vector<std::string> transposes;  // empty: each shape as it is

  ThreadPasses passes = ThreadPasses::kSingle;
  int threads = 0;               // of the pass on several; 0: all cores
  std::vector<x86::IsaId> isas;  // empty: all that run here

  double budget_s = 4;  // of the search, per shape
  bool exhaustive = false;
  int rounds = 31;
  std::string configs_file;  // empty: none
  std::string cache_folder;  // empty: none

  std::vector<std::string> peers;  // in loading order
  std::string venv;
  bool demo = false;
};

// Reads the arguments after `cpu-gemm`. kInvalidArgument says what was wrong and what is valid.
Result<CpuGemmOptions> parse_cpu_gemm_options(const std::vector<std::string>& arguments);

}  // namespace triode::bench
