// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace triode::bench {

// `triode bench learner`: what ranking and learning cost. Takes the arguments after `learner`;
// results go to `out`, complaints to `err`. Returns the exit code.
int run_learner(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace triode::bench
