// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

#include <string_view>

#include "cache/families.h"
#include "core/status.h"

namespace triode {

// Whether a record of the family makes sense: its key, its checksum, its fields, and the digest
// where its key is one. kCorrupt, with the reason. A pure function.
Status check_record(Family family, std::string_view key, std::string_view value);

}  // namespace triode
