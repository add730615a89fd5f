// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.h"

namespace triode {

class Database;
struct Promotion;

struct ModelEntry {
  std::string digest;  // of the snapshot's bytes: its name in the store
  std::string family;  // devices that it is for: "cpu", "sm_80"
  int64_t size_bytes = 0;
  int64_t made_unix_s = 0;
  std::map<std::string, std::string> notes = {};  // where it comes from, how well it does
  // Fields of a newer Triode, as in TrialRecord. Written again.
  std::string unknown = {};
  int32_t unknown_count = 0;

  bool operator==(const ModelEntry&) const = default;
};

// Snapshots of the learner, by their content, and which of them is in force for a family of
// devices. Any thread may call. What a snapshot's bytes mean is the learner's business.
class ModelStore {
 public:
  explicit ModelStore(std::shared_ptr<Database> database);
  ModelStore(const ModelStore&) = delete;
  ModelStore& operator=(const ModelStore&) = delete;
  ~ModelStore();

  // Keeps the snapshot and returns its digest. Putting the same bytes again changes its entry only.
  Result<std::string> put(const std::string& family, std::string_view snapshot, int64_t now_unix_s,
                          const std::map<std::string, std::string>& notes = {});

  Result<std::optional<ModelEntry>> entry(const std::string& digest) const;
  // kCorrupt if its bytes do not have this digest.
  Result<std::optional<std::string>> snapshot(const std::string& digest) const;
  Result<std::vector<ModelEntry>> list() const;  // oldest first

  // Puts a snapshot in force for its family; the one before can be promoted again. kNotFound if
  // there is none of this digest.
  Status promote(const std::string& digest);
  // Puts in force again what was so before the last promotion, passing over what was dropped since;
  // none, if there was none. Returns its digest. kNotFound if none is in force.
  Result<std::optional<std::string>> undo_promotion(const std::string& family);
  Result<std::optional<std::string>> promoted(const std::string& family) const;  // the digest

  // Drops a snapshot. kInvalidArgument for one in force, kNotFound if there is none.
  Status drop(const std::string& digest);

 private:
  Result<std::optional<Promotion>> promotion(const std::string& family) const;

  std::shared_ptr<Database> database_;
};

}  // namespace triode
