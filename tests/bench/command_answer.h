// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <sstream>
#include <string>
#include <vector>

namespace triode::bench {

// What a benchmark answers to a command line.
struct CommandAnswer {
  int code;
  std::string out, err;
};

using BenchCommand = int (*)(const std::vector<std::string>& arguments, std::ostream& out,
                             std::ostream& err);

inline CommandAnswer answer_of(BenchCommand command, const std::vector<std::string>& arguments) {
  std::ostringstream out, err;
  const int code = command(arguments, out, err);
  return {code, out.str(), err.str()};
}

}  // namespace triode::bench
