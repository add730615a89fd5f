// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace triode::bench {

// What it takes the host to launch a plan: instructions from an intercepted call of cuBLAS to the
// driver's cuLaunchKernel. Returns the exit code.
int run_launch_path(const std::vector<std::string>& arguments, std::ostream& out,
                    std::ostream& err);

}  // namespace triode::bench
