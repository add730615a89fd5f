// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace triode::bench {

// `triode bench triton-compile`: arguments after the name, exit code.
int run_triton_compile(const std::vector<std::string>& arguments, std::ostream& out,
                       std::ostream& err);

}  // namespace triode::bench
