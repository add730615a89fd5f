// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cache/cache.h"
#include "core/status.h"
#include "learner/model/snapshot.h"

namespace triode::model_tool {

enum class Source : uint8_t { kCache, kShipped, kFile };
std::string_view to_string(Source source);  // "cache", "shipped", "file"

// A model that can be named on the command line.
struct KnownModel {
  std::optional<Snapshot> snapshot;  // empty: it cannot be read, and `damage` says why
  std::string damage;
  std::string digest;  // the snapshot's own; of a damaged one in the cache, the cache's
  Source source = Source::kCache;
  std::string stored;  // its digest in the cache; empty: not there
  std::string path;    // of its file; empty: in the cache
  int64_t size_bytes = 0;
  int64_t made_unix_s = 0;  // 0: not known
  std::map<std::string, std::string> notes;
  bool is_promoted = false;
  bool is_in_force = false;  // what a new process would use
};

// The models of a cache and those that are shipped. `cache` may be null: there is none yet. Reads
// every snapshot.
Result<std::vector<KnownModel>> known_models(const Cache* cache, const std::string& shipped_folder);

// The one that `word` names: a shipped model's name, a file, or the beginning of a digest.
// kNotFound if there is none, kInvalidArgument if there are several.
Result<KnownModel> find_model(const std::string& word, std::vector<KnownModel> known);

// The cache if it is there, to read; null if there is none yet.
Result<std::unique_ptr<Cache>> open_if_there(const std::string& path);

}  // namespace triode::model_tool
