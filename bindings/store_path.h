// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/status.h"

namespace triode::python {

// Where the cache of a `cache` argument lies (as Settings::cache; empty: the user's own).
Result<std::string> path_of_store(const std::string& folder);

}  // namespace triode::python
