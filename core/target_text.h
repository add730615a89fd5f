// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/status.h"
#include "core/target.h"

namespace triode {

// Reads what Target::fingerprint() wrote. kInvalidArgument for a text that no target gives.
Result<Target> parse_fingerprint(std::string_view text);

}  // namespace triode
