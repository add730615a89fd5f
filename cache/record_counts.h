// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

#include <cstdint>

#include "cache/families.h"

namespace triode {

class Database;

// About how many records a family has. A small one is counted; of a large one it is exactly so many
// if none was written twice or dropped since the last compaction, from what each file says of
// itself. RocksDB's own estimate would need every opening to read that.
int64_t about_records(const Database& database, Family family);

}  // namespace triode
