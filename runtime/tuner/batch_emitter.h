// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/config.h"
#include "core/device.h"
#include "core/problem.h"
#include "core/status.h"

namespace triode::tuner {

// Emits the code of configs, on at most so many threads (the calling one is among them), without
// running any of it, and says what it is: configs of equal digests are the same program. In the
// order of the configs; an error for one that does not compile. Returns when all are done, so that
// nothing disturbs the timing that follows (docs/adr/0028).
std::vector<Result<uint64_t>> emit_digests(Device& device, const Problem& problem,
                                           std::span<const Config> configs, int threads);

}  // namespace triode::tuner
