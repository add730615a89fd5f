// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace triode::bench {

// `triode bench tuner`: what the tuner gains programs, and what it costs them while it works. Takes
// the arguments after the name; returns the exit code.
int run_tuner(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace triode::bench
