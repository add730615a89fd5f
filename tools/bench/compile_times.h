// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "core/config.h"
#include "core/problem.h"

namespace triode::bench {

// Microseconds to compile one kernel, one value for each kernel that the configs need. Each config
// is compiled from nothing, so that no kernel is found ready. At most `limit` of the configs are
// taken, evenly spaced.
std::vector<double> kernel_compile_times_us(const Problem& problem, std::span<const Config> configs,
                                            std::size_t limit);

}  // namespace triode::bench
