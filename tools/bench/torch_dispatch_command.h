// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace triode::bench {

// `triode bench torch-dispatch`: what triode.intercept() adds to a matmul of torch's, measured by a
// Python that has torch and the package. Returns the exit code.
int run_torch_dispatch(const std::vector<std::string>& arguments, std::ostream& out,
                       std::ostream& err);

}  // namespace triode::bench
