// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace triode::bench {

// Calls of cblas_sgemm that a kernel of Triode answers, made by a program of their own, so that
// somebody else can look at every instruction of it.

// What the program is to do.
struct HitCalls {
  std::string library;     // libtriode.so
  int calls = 0;           // to make, after some that are not looked at
  bool is_traced = false;  // by the process that started it, which takes over before the first call
};

// The name by which the program knows what it is to do. No user asks for it.
inline constexpr const char* kHitCallsName = "hit-calls";

// How to start this very program so, and in which environment; `folder` is for what it keeps.
std::vector<std::string> hit_calls_command(const HitCalls& what);
std::vector<std::string> hit_calls_environment(const std::string& folder);

// Does it. A traced program prints the address of its cblas_sgemm, stops itself by SIGSTOP, and
// stops again after the last call.
int run_hit_calls(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace triode::bench
