// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "cache/exchange/recorded_timings.h"
#include "core/status.h"
#include "runtime/device/replay_device.h"

namespace triode {

// Those of the timings that were recorded on `device` ("a100"). Its spaces hold, for each problem,
// exactly the configs that were tried. kNotFound, naming the devices there are, if it has none.
Result<std::shared_ptr<const ReplaySource>> make_recorded_source(RecordedTimings timings,
                                                                 std::string_view device);

}  // namespace triode
