// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/problem.h"
#include "core/status.h"
#include "runtime/search/problem_operands.h"
#include "tools/bench/peers.h"

namespace triode::bench {

// One product, as a program calls it and as its library is called directly, on the same operands.
struct ComparedCall {
  Problem problem;
  std::unique_ptr<ProblemOperands> operands;
  std::function<void()> by_program;
  std::function<void()> by_library;
  int repeats = 1;  // calls in one sample of settle()
};

// The matmul function of a BLAS, reached in both ways. In a process under `triode run` alone.
class TunerCaller {
 public:
  // kUnavailable if the calls of this process are not intercepted.
  static Result<TunerCaller> make(const std::string& vendor, const std::string& venv);

  Result<ComparedCall> bind(const Problem& problem, std::uint64_t seed) const;

  // kInternal if the program's call gives another result than the library's.
  Status check(const ComparedCall& call) const;

  // Whether code made at run time answers the program's call.
  Result<bool> is_ours(const ComparedCall& call) const;

 private:
  TunerCaller() = default;

  std::unique_ptr<Peer> vendor_;
  void* by_program_ = nullptr;
};

// Nanoseconds that so many calls take together.
double time_calls(const std::function<void()>& call, int repeats);

// By the clock that all processes share.
std::int64_t steady_ns();

}  // namespace triode::bench
