// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace triode::bench {

// `triode bench inductor-hook`: what Triode costs inside torch.compile, measured by a Python that
// has torch and the package. Returns the exit code.
int run_inductor_hook(const std::vector<std::string>& arguments, std::ostream& out,
                      std::ostream& err);

}  // namespace triode::bench
