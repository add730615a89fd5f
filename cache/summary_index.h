// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

#include <rocksdb/write_batch.h>

#include <cstdint>
#include <functional>
#include <string_view>

#include "cache/maintenance.h"
#include "cache/problem_summary.h"
#include "core/status.h"

namespace triode {

class Database;

// A summary of every problem, in a family beside the measurements, so that a question about all
// problems does not read all records. docs/adr/0035-summaries-of-problems.md. Whoever changes
// measurements marks their problems in the same batch; a problem with a mark is read from its
// records, until a writer has time to summarize it again. A summary that is there without a mark is
// right, whenever a process was killed.

// Marks the problem of a measurement's key, or of any longer or shorter text that begins with its
// problem_prefix. A key that names no problem has none to mark.
Status mark_stale(Database& database, std::string_view key, rocksdb::WriteBatch& batch);

// Drops all summaries and marks all problems there are. A seek for each.
Status mark_all_stale(Database& database);

// Visits the problems that match, in key order, until `visit` returns false.
Result<SummaryCounts> for_each_summary(const Database& database, const TrialFilter& filter,
                                       const std::function<bool(const ProblemSummary&)>& visit);

// Summarizes marked problems, at most so many. Others may write meanwhile: what they mark stays
// marked. A problem with damaged records keeps its mark, so that they are met whenever it is read.
Status refresh_summaries(Database& database, int64_t most_problems, const Progress& progress);

}  // namespace triode
