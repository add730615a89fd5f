// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

#include <rocksdb/iterator.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cache/problem_summary.h"
#include "core/status.h"

namespace triode {

class Database;
class TrialCursor;

// Walks the summaries in key order, one problem at a time. Sees the database as it was when this
// was made. For one thread.
class SummaryCursor {
 public:
  explicit SummaryCursor(const Database& database);

  void seek(std::string_view bytes) { at_->Seek(bytes); }
  bool is_valid() const { return at_->Valid(); }
  std::string_view key() const { return at_->key().ToStringView(); }

  // Reads all there is of the problem that the cursor is at, and moves behind it.
  void read_problem();
  const std::string& prefix() const { return prefix_; }  // problem_prefix of what was read
  bool is_stale() const { return is_stale_; }            // marked, or damaged
  const std::vector<SummaryPart>& parts() const { return parts_; }
  const std::vector<std::string>& keys() const { return keys_; }  // of all that was read

  Status status() const;

 private:
  const Database& database_;
  std::unique_ptr<rocksdb::Iterator> at_;
  std::string prefix_;
  bool is_stale_ = false;
  std::vector<SummaryPart> parts_;
  std::vector<std::string> keys_;
};

// The parts made anew from the measurements of the problem, in the order of their keys; `records`
// grows by those read.
std::vector<SummaryPart> summarize(TrialCursor& cursor, const std::string& prefix,
                                   int64_t& records);

}  // namespace triode
