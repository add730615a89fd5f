// SPDX-License-Identifier: Apache-2.0
#include "cache/summary_cursor.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "cache/database.h"
#include "cache/key_codec.h"
#include "cache/summary_codec.h"
#include "cache/trial_cursor.h"

namespace triode {

SummaryCursor::SummaryCursor(const Database& database)
    : database_(database), at_(database.iterate(Family::kSummaries)) {
  at_->SeekToFirst();
}

void SummaryCursor::read_problem() {
  is_stale_ = false;
  parts_.clear();
  keys_.clear();
  // A key that names no problem is none of ours, and is taken whole.
  prefix_ = key().substr(0, end_of_components(key(), 2));
  for (; at_->Valid() && at_->key().starts_with(prefix_); at_->Next()) {
    keys_.emplace_back(key());
    Result<SummaryPart> part = decode_summary_part(key(), at_->value().ToStringView());
    if (part.ok()) {
      parts_.push_back(std::move(part).take());
    } else {
      is_stale_ = true;  // the mark is no part either
    }
  }
}

Status SummaryCursor::status() const {
  const rocksdb::Status status = at_->status();
  return status.ok() ? Status() : database_.explain("read", status);
}

std::vector<SummaryPart> summarize(TrialCursor& cursor, const std::string& prefix,
                                   int64_t& records) {
  std::vector<SummaryPart> parts;
  cursor.seek(prefix);
  while (cursor.is_within(prefix)) {
    if (!cursor.read_group()) continue;
    records += static_cast<int64_t>(cursor.trials().size());
    add_to_parts(cursor.key(), cursor.folded(), parts);
  }
  std::sort(parts.begin(), parts.end(), [](const SummaryPart& a, const SummaryPart& b) {
    return std::tuple(a.toolchain, a.origin, to_string(a.outcome)) <
           std::tuple(b.toolchain, b.origin, to_string(b.outcome));
  });
  return parts;
}

}  // namespace triode
