// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "core/status.h"

namespace triode::bench {

// Instructions executed in each loaded file by its path, in functions called from it not included.
// Code that lies in no file counts under kNoFile.
using ObjectCosts = std::map<std::string, std::int64_t>;
inline constexpr const char* kNoFile = "???";

// From what callgrind writes, with its default of one event. kCorrupt if that is something else.
Result<ObjectCosts> read_object_costs(std::istream& callgrind_out);

// Runs a program to its end under valgrind's callgrind; `folder` is for its files. kNotFound if
// there is no valgrind, kUnavailable if it or the program fails.
Result<ObjectCosts> count_by_callgrind(const std::vector<std::string>& command,
                                       const std::vector<std::string>& environment,
                                       const std::string& folder);

// All of them together.
std::int64_t total_of(const ObjectCosts& costs);

// What a program that makes calls executes, counted twice: with so many calls, and with twice as
// many. The difference is that of the calls alone.
struct CallgrindCosts {
  int calls = 0;
  ObjectCosts once;
  ObjectCosts twice;
  std::string program;  // path of the program that makes the calls
};

// Instructions that Triode adds to one call, the mean over `calls`: all that is neither the
// kernel's, which lies in no file, nor the calling program's own.
double added_per_call(const CallgrindCosts& costs);

// Runs calls that Triode answers, 8x8x8, in that way. Two seconds each time.
Result<CallgrindCosts> count_hits_by_callgrind(const std::string& library, int calls,
                                               const std::string& folder);

}  // namespace triode::bench
