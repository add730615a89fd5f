// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace triode::bench {

// `triode bench cpu-gemm`: tunes Triode's kernels for each shape and times them against the BLAS
// libraries of this machine. Takes the arguments after `cpu-gemm`; results go to `out`, progress
// and complaints to `err`. Returns the exit code: failed only if no shape could be measured.
int run_cpu_gemm(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace triode::bench
