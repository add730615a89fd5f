// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/tuner/status_messages.h"

namespace triode::tuner {

// `cache_bytes`: what the cache takes on its disk, which a tuner does not say.
std::string to_text(const StatusAnswer& status, uint64_t cache_bytes);
std::string to_json(const StatusAnswer& status, uint64_t cache_bytes);  // one line

// Time of the first config tried over that of the best found, a mean over the problems that this
// tuner was the first to search. Empty if there is none.
std::optional<double> first_choice_regret(const StatusAnswer& status);

// Of all files in a folder.
uint64_t folder_bytes(const std::string& folder);

}  // namespace triode::tuner
