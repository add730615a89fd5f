// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "learner/model/device_traits.h"
#include "learner/model/snapshot.h"

namespace triode::tuner {

// A model of that cpu with drawn weights over all that the cpu's features tell: knows nothing. Of
// its nets all but the first can learn slowly.
Snapshot cpu_snapshot(const DeviceTraits& device, size_t rank_nets = 1);

}  // namespace triode::tuner
