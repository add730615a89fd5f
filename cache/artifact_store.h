// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "cache/sample_key.h"
#include "core/status.h"

namespace triode {

class Database;

// What is known of compiled code without running it. 0: not known, or none.
struct ArtifactFacts {
  std::string kind;          // "cubin", "ptx", "x86"
  std::string entry;         // name of the function to call
  int32_t registers = 0;     // per thread
  int64_t shared_bytes = 0;  // shared memory of a block
  int32_t spills = 0;        // registers that did not fit, per thread
  int32_t threads_per_block = 0;

  bool operator==(const ArtifactFacts&) const = default;
};

struct ArtifactEntry {
  std::string digest;  // of the code: its name in the store
  ArtifactFacts facts;
  int64_t code_bytes = 0;
  int64_t stored_bytes = 0;  // compressed
  int64_t made_unix_s = 0;
  int64_t used_unix_s = 0;
  // Fields of a newer Triode, as in TrialRecord. Written again.
  std::string unknown = {};
  int32_t unknown_count = 0;

  bool operator==(const ArtifactEntry&) const = default;
};

// Compiled code by its content, compressed by zstd, and which keys it was compiled for. Two keys
// that compile to the same bytes share one. Any thread may call.
class ArtifactStore {
 public:
  explicit ArtifactStore(std::shared_ptr<Database> database);
  ArtifactStore(const ArtifactStore&) = delete;
  ArtifactStore& operator=(const ArtifactStore&) = delete;
  ~ArtifactStore();

  // Keeps the code for this key and returns its digest. Drops the least useful others if
  // StoreOptions::most_artifact_bytes is passed; kResourceExhausted for code that alone is larger.
  Result<std::string> put(const SampleKey& key, std::string_view code, const ArtifactFacts& facts,
                          int64_t now_unix_s);

  // Empty if there is none, or it was dropped. A damaged one counts as none.
  Result<std::optional<std::string>> find(const SampleKey& key) const;  // the digest
  Result<std::optional<ArtifactEntry>> entry(const std::string& digest) const;
  Result<std::optional<std::string>> code(const std::string& digest) const;

  // Notes a use, which keeps the artifact from being dropped.
  Status touch(const std::string& digest, int64_t now_unix_s);

  // Visits entries by digest until `visit` returns false. Reads no code.
  Status for_each(const std::function<bool(const ArtifactEntry&)>& visit) const;

  // Drops the least useful until the rest take at most this much. Returns the bytes dropped.
  Result<int64_t> shrink_to(int64_t stored_bytes);

 private:
  Result<int64_t> shrink_locked(int64_t stored_bytes);
  Status note_stored(int64_t added);

  std::shared_ptr<Database> database_;
  std::mutex mutex_;                     // of whoever adds or drops
  std::optional<int64_t> stored_bytes_;  // of all; under mutex_; empty until first asked for
};

}  // namespace triode
