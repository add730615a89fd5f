// SPDX-License-Identifier: Apache-2.0
// A process of the storm: `storm_peer write FOLDER FIRST` adds trials from number FIRST on until it
// is killed, and prints each number, as eight bytes, once it was told that it is kept. `storm_peer
// read FOLDER` reads everything again and again, and ends only if something is damaged.
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>

#include "cache/cache.h"
#include "cache/maintenance.h"
#include "tests/cache/filled_cache.h"

namespace triode {
namespace {

constexpr int64_t kBatch = 20;

int fail(const Status& status) {
  std::cerr << "storm peer: " << status.to_string() << std::endl;
  return 1;
}

int write_trials(const std::string& path, int64_t first) {
  // Small buffers, so that tables are written and compacted all the time.
  const Result<std::unique_ptr<Cache>> cache =
      Cache::open(path, {.sync = SyncLevel::kNone, .write_buffer_bytes = 256 * 1024});
  if (!cache.ok()) return fail(cache.status());
  for (int64_t number = first;; number += kBatch) {
    put_numbered(**cache, number, number + kBatch);
    const int64_t last = number + kBatch - 1;
    if (write(STDOUT_FILENO, &last, sizeof(last)) != sizeof(last)) return 1;
    if (number / kBatch % 64 == 63) {
      const Result<CompactReport> compacted = compact(**cache);
      if (!compacted.ok()) return fail(compacted.status());
    }
  }
}

int read_trials(const std::string& path) {
  while (true) {
    const auto cache = Cache::open(path, {.mode = StoreMode::kReadOnly});
    if (!cache.ok()) return fail(cache.status());
    for (int i = 0; i < 3; ++i) {
      const Result<StoreCounts> counts = (*cache)->measurements().count();
      if (!counts.ok()) return fail(counts.status());
      if (counts->damaged > 0) return fail(corrupt("a reader met a damaged record"));
    }
  }
}

}  // namespace
}  // namespace triode

int main(int argc, char** argv) {
  if (argc == 4 && std::strcmp(argv[1], "write") == 0) {
    return triode::write_trials(argv[2], std::atoll(argv[3]));
  }
  if (argc == 3 && std::strcmp(argv[1], "read") == 0) {
    return triode::read_trials(argv[2]);
  }
  return 2;
}
