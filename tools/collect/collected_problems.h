// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/config.h"
#include "core/problem.h"
#include "core/random.h"
#include "core/space.h"
#include "core/status.h"
#include "tools/collect/collect_options.h"

namespace triode::collect {

// What is to be measured: every shape in every type and on every count of threads, side by side, so
// that a collection that was cut short has some of each. None twice. The same options give the same
// list.
Result<std::vector<Problem>> collected_problems(const CollectOptions& options);

// Configs of the problem to try: the promising ones, spread over its threads, up to half of
// `count`, then random legal ones. None twice; fewer if the space has no more. The same arguments
// give the same list.
std::vector<Config> collected_configs(const Problem& problem, const Space& space, size_t count,
                                      uint64_t seed);

// The config with one parameter changed, or two; legal or not.
Config neighbour(const Space& space, Config config, Random& random);

}  // namespace triode::collect
