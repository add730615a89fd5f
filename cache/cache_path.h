// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/settings.h"
#include "core/status.h"

namespace triode {

// What it is called in its folder.
inline constexpr const char* kStoreName = "store";

// Where the cache lies: "store" in the folder of Settings::cache, else in $XDG_CACHE_HOME/triode,
// else in ~/.cache/triode. kNotFound if none of them is set.
Result<std::string> cache_path(const Settings& settings, const VariableLookup& lookup);
// With the variables of this process; without settings, theirs too.
Result<std::string> cache_path_from_environment(const Settings& settings);
Result<std::string> cache_path_from_environment();

}  // namespace triode
