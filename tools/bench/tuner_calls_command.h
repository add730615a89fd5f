// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace triode::bench {

// A program that makes matmuls and knows nothing of the tuner that works for it, but also calls its
// BLAS directly, to compare. Runs as a process of its own, under `triode run`.

// What the program is to do.
struct TunerCalls {
  // settle: calls every shape in turns until SIGTERM; writes a ConvergenceRound for each turn.
  // pairs: waits for `plans` plans, then times every shape in pairs; writes PairedShapes.
  // foreground: makes `unseen` shapes worth tuning, then calls the others, which are to have plans,
  //   until SIGTERM; writes the time of every call.
  // first-calls: calls each shape once, and the library directly before; writes FirstCalls.
  std::string what;
  std::string vendor;  // peer whose function is called
  std::string venv;
  std::string output;  // file that is written at the end
  std::size_t shapes = 0;
  std::int64_t largest = 0;  // size in them
  std::uint64_t seed = 1;
  int rounds = 51;
  std::size_t plans = 0;   // how many shapes have one
  std::size_t unseen = 0;  // shapes of the next seed, of every size
};

// The name by which the program knows what it is to do. No user asks for it.
inline constexpr const char* kTunerCallsName = "tuner-calls";

// How to start this very program so.
std::vector<std::string> tuner_calls_command(const TunerCalls& what);

// Does it. Says "ready" on `out` once all that is to be tuned has been called often enough.
int run_tuner_calls(const std::vector<std::string>& arguments, std::ostream& out,
                    std::ostream& err);

}  // namespace triode::bench
