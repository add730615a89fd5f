// SPDX-License-Identifier: Apache-2.0
#include "cache/summary_index.h"

#include <string>
#include <utility>
#include <vector>

#include "cache/database.h"
#include "cache/key_codec.h"
#include "cache/summary_codec.h"
#include "cache/summary_cursor.h"
#include "cache/trial_cursor.h"

namespace triode {
namespace {

// Written at once. What others write while so many are read makes them be read again.
constexpr int64_t kRecordsPerBatch = 20'000;
constexpr int kMostAttempts = 3;

constexpr size_t kBatchBytes = size_t{4} << 20;

// One walk over marked problems, from a key on, until there is a batch of them.
class Refresh {
 public:
  Refresh(Database& database, const std::string& from)
      : database_(database), writes_(database.writes()), index_(database), records_(database) {
    index_.seek(from);
  }

  Status read(int64_t most_problems) {
    while (index_.is_valid() && records_read_ < kRecordsPerBatch && problems_ < most_problems) {
      index_.read_problem();
      if (index_.is_stale()) TRIODE_TRY(summarize_problem());
    }
    is_done_ = !index_.is_valid();
    end_ = is_done_ ? "" : index_.key();
    TRIODE_TRY(index_.status());
    return records_.status();
  }

  // False if somebody has written since this was made.
  Result<bool> commit() {
    if (batch_.Count() == 0) return true;
    return database_.write_if_unchanged(batch_, writes_);
  }

  bool is_done() const { return is_done_; }
  const std::string& end() const { return end_; }  // where the next walk begins
  int64_t problems() const { return problems_; }
  int64_t records_read() const { return records_read_; }

 private:
  Status summarize_problem() {
    ++problems_;
    const int64_t damaged = records_.damaged();
    const std::vector<SummaryPart> parts = summarize(records_, index_.prefix(), records_read_);
    if (records_.damaged() > damaged) return {};
    rocksdb::ColumnFamilyHandle* family = database_.family(Family::kSummaries);
    rocksdb::Status status;
    for (const std::string& key : index_.keys()) {
      if (status.ok()) status = batch_.Delete(family, key);
    }
    for (const SummaryPart& part : parts) {
      if (!status.ok()) break;
      status =
          batch_.Put(family, summary_part_key(index_.prefix(), part), encode_summary_part(part));
    }
    return status.ok() ? Status() : database_.explain("summarize", status);
  }

  Database& database_;
  const uint64_t writes_;  // before anything was read
  SummaryCursor index_;
  TrialCursor records_;
  rocksdb::WriteBatch batch_;
  std::string end_;
  bool is_done_ = false;
  int64_t problems_ = 0;
  int64_t records_read_ = 0;
};

Status drop_all(Database& database) {
  rocksdb::WriteBatch batch;
  const std::unique_ptr<rocksdb::Iterator> at = database.iterate(Family::kSummaries);
  for (at->SeekToFirst(); at->Valid(); at->Next()) {
    const rocksdb::Status status = batch.Delete(database.family(Family::kSummaries), at->key());
    if (!status.ok()) return database.explain("write to", status);
  }
  if (!at->status().ok()) return database.explain("read", at->status());
  return batch.Count() == 0 ? Status() : database.write(batch);
}

// The problem that a prefix names, if it matches.
bool matches_prefix(const TrialFilter& filter, const std::string& prefix, ProblemSummary& named) {
  const std::vector<std::string> components = split_components(prefix);
  if (components.size() < 2 || !matches_device(filter, components[0])) return false;
  named.device = components[0];
  named.problem = plain_problem(components[1]);
  const Result<Problem> problem = parse_problem(named.problem);
  return problem.ok() && matches_problem(filter, *problem);
}

}  // namespace

Status mark_stale(Database& database, std::string_view key, rocksdb::WriteBatch& batch) {
  const size_t end = end_of_components(key, 2);
  if (end == std::string_view::npos) return {};
  static const std::string mark = encode_stale_mark();
  const rocksdb::Status status =
      batch.Put(database.family(Family::kSummaries), key.substr(0, end), mark);
  return status.ok() ? Status() : database.explain("write to", status);
}

Status mark_all_stale(Database& database) {
  TRIODE_TRY(drop_all(database));
  rocksdb::WriteBatch batch;
  TrialCursor cursor(database);
  cursor.seek_to_first();
  while (cursor.is_valid()) {
    const size_t end = end_of_components(cursor.bytes(), 2);
    if (end == std::string_view::npos) {
      (void)cursor.read_group();  // no key of ours
      continue;
    }
    const std::string prefix(cursor.bytes().substr(0, end));
    TRIODE_TRY(mark_stale(database, prefix, batch));
    if (batch.GetDataSize() >= kBatchBytes) {
      TRIODE_TRY(database.write(batch));
      batch.Clear();
    }
    cursor.seek(after_prefix(prefix));
  }
  TRIODE_TRY(cursor.status());
  return batch.Count() == 0 ? Status() : database.write(batch);
}

Result<SummaryCounts> for_each_summary(const Database& database, const TrialFilter& filter,
                                       const std::function<bool(const ProblemSummary&)>& visit) {
  SummaryCounts counts;
  SummaryCursor index(database);
  TrialCursor records(database);
  for (bool goes_on = true; goes_on && index.is_valid();) {
    index.read_problem();
    ProblemSummary named;
    if (!matches_prefix(filter, index.prefix(), named)) continue;
    ProblemSummary summary =
        index.is_stale()
            ? summary_of(summarize(records, index.prefix(), counts.records_read), filter)
            : summary_of(index.parts(), filter);
    if (summary.configs == 0) continue;
    summary.device = std::move(named.device);
    summary.problem = std::move(named.problem);
    ++counts.problems;
    goes_on = visit(summary);
  }
  counts.damaged = records.damaged();
  TRIODE_TRY(index.status());
  TRIODE_TRY(records.status());
  return counts;
}

Status refresh_summaries(Database& database, int64_t most_problems, const Progress& progress) {
  std::string from;
  int64_t read = 0;
  for (int attempt = 0; most_problems > 0 && attempt < kMostAttempts;) {
    if (progress && !progress(read, 0)) return unavailable("summarizing was stopped");
    Refresh refresh(database, from);
    TRIODE_TRY(refresh.read(most_problems));
    if (!TRIODE_TRY(refresh.commit())) {
      ++attempt;
      continue;
    }
    attempt = 0;
    read += refresh.records_read();
    most_problems -= refresh.problems();
    if (refresh.is_done()) return {};
    from = refresh.end();
  }
  return {};
}

}  // namespace triode
