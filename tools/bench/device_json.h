// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/target.h"

namespace triode::bench {

// The processor as every report describes it. The clocks, in MHz, are those at the beginning and
// the end of a run; one the system does not report is 0 and becomes null.
nlohmann::ordered_json device_json(const Target& target, double mhz_begin, double mhz_end);

}  // namespace triode::bench
