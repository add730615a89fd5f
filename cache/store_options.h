// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "cache/store_mode.h"
#include "core/settings.h"

namespace triode {

// How a cache is opened. The defaults suit the tuner.
struct StoreOptions {
  StoreMode mode = StoreMode::kReadWrite;

  // When a write counts as done; see SyncLevel. Ignored by readers.
  SyncLevel sync = SyncLevel::kBatch;

  // Uncompressed blocks kept in memory. More makes repeated look-ups of many problems faster.
  size_t block_cache_bytes = size_t{32} << 20;

  // Records kept in memory, over all families, before they go to table files. More makes long
  // bursts of writes faster, and the opening after a crash slower.
  size_t write_buffer_bytes = size_t{32} << 20;

  // Compressed artifacts kept on disk. Beyond it the least useful are dropped: those of no plan
  // first, then those used longest ago. Measurements are never dropped to make room.
  int64_t most_artifact_bytes = int64_t{2} << 30;

  // Takes in what others have left in the spool, on opening. Writers only.
  bool take_in_spool = true;
};

}  // namespace triode
