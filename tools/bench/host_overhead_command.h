// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace triode::bench {

// `triode bench host-overhead`: what an intercepted call costs over the direct one. Takes the
// arguments after `host-overhead`; results go to `out`, progress and complaints to `err`. Returns
// the exit code: failed if the calls could not be timed; what else cannot be measured is null.
int run_host_overhead(const std::vector<std::string>& arguments, std::ostream& out,
                      std::ostream& err);

}  // namespace triode::bench
