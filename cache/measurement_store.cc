// SPDX-License-Identifier: Apache-2.0
#include "cache/measurement_store.h"

#include <rocksdb/write_batch.h>

#include <algorithm>
#include <utility>

#include "cache/database.h"
#include "cache/fold.h"
#include "cache/key_codec.h"
#include "cache/summary_index.h"
#include "cache/trial_batch.h"
#include "cache/trial_cursor.h"

namespace triode {
namespace {

Status write_trials(Database& database, TrialBatch& trials, size_t count) {
  rocksdb::WriteBatch batch(trials.size_bytes());
  TRIODE_TRY(trials.move_to(database, batch));
  return database.write(batch, count == 1 ? Weight::kSingle : Weight::kBatch);
}

bool is_better_trial(const StoredTrial& a, const StoredTrial& b) {
  return is_better(a.record, b.record);
}

// Appends what is known of the problem on the device: answers, or priors, or both.
Status find_on_device(TrialCursor& cursor, const std::string& device, const std::string& problem,
                      const Validity& validity, bool is_foreign, bool with_priors,
                      FoundTrials& found) {
  const size_t first = found.trials.size();
  const std::string prefix = problem_prefix(device, problem);
  cursor.seek(prefix);
  while (cursor.is_within(prefix)) {
    if (!cursor.read_group()) continue;
    std::string why = why_prior(cursor.key().validity, validity);
    if (is_foreign) why = "device " + device_name(device) + (why.empty() ? "" : "; " + why);
    if (!why.empty() && !with_priors) continue;
    found.trials.push_back({.config = cursor.key().config,
                            .record = cursor.folded(),
                            .device = device,
                            .validity = cursor.key().validity,
                            .why_prior = std::move(why)});
  }
  const auto begin = found.trials.begin() + static_cast<std::ptrdiff_t>(first);
  const auto priors = std::stable_partition(
      begin, found.trials.end(), [](const StoredTrial& trial) { return !trial.is_prior(); });
  std::stable_sort(begin, priors, is_better_trial);
  std::stable_sort(priors, found.trials.end(), is_better_trial);
  return cursor.status();
}

// Walks the problems of a device that match, a seek for each. `visit` is called with the cursor at
// the first record of the problem; it returns false to end.
template <typename Visit>
Status for_each_problem(TrialCursor& cursor, const std::string& device, const TrialFilter& filter,
                        const Visit& visit) {
  const std::string all = device_prefix(device);
  cursor.seek(filter.problem ? problem_prefix(device, to_string(*filter.problem)) : all);
  while (cursor.is_within(all)) {
    const size_t end = end_of_components(cursor.bytes(), 2);
    if (end == std::string_view::npos) {
      (void)cursor.read_group();  // no key of ours: counts as damaged
      continue;
    }
    const std::string prefix(cursor.bytes().substr(0, end));
    const std::string sortable = split_components(prefix)[1];
    const Result<Problem> problem = parse_problem(plain_problem(sortable));
    if (problem.ok() && matches_problem(filter, *problem)) {
      if (!visit(prefix, *problem)) break;
    } else if (filter.problem) {
      break;  // it would have been the first
    }
    // The visit may have gone on already; else over the problem in one step.
    if (cursor.is_within(prefix)) cursor.seek(after_prefix(prefix));
  }
  return cursor.status();
}

bool matches_record(const TrialFilter& filter, const SampleKey& key, const TrialRecord& record) {
  if (filter.outcome && *filter.outcome != record.outcome.kind) return false;
  if (filter.origin && *filter.origin != record.origin) return false;
  return key.validity.toolchain.find(filter.toolchain) != std::string::npos;
}

// Calls `visit` with the cursor behind each group of trials whose device and problem match, until
// it returns false. Returns how many damaged records were passed.
template <typename Visit>
Result<int64_t> walk_matching(const Database& database, const std::vector<std::string>& devices,
                              const TrialFilter& filter, const Visit& visit) {
  TrialCursor cursor(database, {}, chooses_problems(filter) ? Reading::kSome : Reading::kAll);
  bool goes_on = true;
  for (const std::string& device : devices) {
    if (!goes_on) break;
    if (!matches_device(filter, device)) continue;
    TRIODE_TRY(
        for_each_problem(cursor, device, filter, [&](const std::string& prefix, const Problem&) {
          while (goes_on && cursor.is_within(prefix)) {
            if (cursor.read_group()) goes_on = visit(cursor);
          }
          return goes_on;
        }));
  }
  return cursor.damaged();
}

}  // namespace

MeasurementStore::MeasurementStore(std::shared_ptr<Database> database)
    : database_(std::move(database)) {}

MeasurementStore::~MeasurementStore() = default;

Result<std::unique_ptr<MeasurementStore>> MeasurementStore::open(const std::string& path,
                                                                 StoreMode mode) {
  std::shared_ptr<Database> database = TRIODE_TRY(Database::open(path, mode));
  return std::make_unique<MeasurementStore>(std::move(database));
}

Status MeasurementStore::put(const Target& target, const Problem& problem, const Space& space,
                             const Config& config, const TrialRecord& record) {
  const ConfigTrial trial = {config, record};
  return put_all(target, problem, space, {&trial, 1});
}

Status MeasurementStore::put_all(const Target& target, const Problem& problem, const Space& space,
                                 std::span<const ConfigTrial> trials) {
  SampleKey key = {.device = device_of(target),
                   .problem = to_string(problem),
                   .config = {},
                   .validity = validity_of(target)};
  uint64_t sequence = TRIODE_TRY(database_->take_sequence(trials.size()));
  TrialBatch added(trials.size());
  for (const ConfigTrial& trial : trials) {
    key.config = space.to_string(trial.config);
    TRIODE_TRY(added.add(key, trial.record, sequence++));
  }
  return write_trials(*database_, added, trials.size());
}

Status MeasurementStore::append(std::span<const KeyedTrial> trials) {
  uint64_t sequence = TRIODE_TRY(database_->take_sequence(trials.size()));
  TrialBatch added(trials.size());
  for (const KeyedTrial& trial : trials) {
    TRIODE_TRY(added.add(trial.key, trial.record, sequence++));
  }
  return write_trials(*database_, added, trials.size());
}

Result<FoundTrials> MeasurementStore::find(const Target& target, const Problem& problem) const {
  return find(device_of(target), problem, validity_of(target), Priors::kNone);
}

Result<FoundTrials> MeasurementStore::find(const std::string& device, const Problem& problem,
                                           const Validity& validity, Priors priors) const {
  FoundTrials found;
  const std::string text = to_string(problem);
  TrialCursor cursor(*database_);
  TRIODE_TRY(find_on_device(cursor, device, text, validity, false, priors != Priors::kNone, found));
  if (priors == Priors::kAllDevices) {
    for (const std::string& other : TRIODE_TRY(devices())) {
      if (other == device) continue;
      TRIODE_TRY(find_on_device(cursor, other, text, validity, true, true, found));
    }
  }
  found.damaged = cursor.damaged();
  return found;
}

Result<std::optional<TrialRecord>> MeasurementStore::get(const SampleKey& key) const {
  const std::string prefix = sample_prefix(key);
  TrialCursor cursor(*database_, prefix);
  cursor.seek(prefix);
  const bool is_found = cursor.is_within(prefix) && cursor.read_group();
  TRIODE_TRY(cursor.status());
  return is_found ? std::optional(cursor.folded()) : std::nullopt;
}

Result<StoreCounts> MeasurementStore::scan(const TrialFilter& filter, const Visit& visit) const {
  StoreCounts counts;
  const auto visit_folded = [&](const TrialCursor& at) {
    const TrialRecord record = at.folded();
    if (!matches_record(filter, at.key(), record)) return true;
    ++counts.records;
    return visit(at.key(), record);
  };
  const std::vector<std::string> known = TRIODE_TRY(devices());
  counts.damaged = TRIODE_TRY(walk_matching(*database_, known, filter, visit_folded));
  return counts;
}

Result<StoreCounts> MeasurementStore::scan_trials(const TrialFilter& filter,
                                                  const Visit& visit) const {
  StoreCounts counts;
  const auto visit_trials = [&](const TrialCursor& at) {
    for (const TrialRecord& record : at.trials()) {
      if (!matches_record(filter, at.key(), record)) continue;
      ++counts.records;
      if (!visit(at.key(), record)) return false;
    }
    return true;
  };
  const std::vector<std::string> known = TRIODE_TRY(devices());
  counts.damaged = TRIODE_TRY(walk_matching(*database_, known, filter, visit_trials));
  return counts;
}

Result<StoreCounts> MeasurementStore::for_each(const Visit& visit) const {
  StoreCounts counts;
  TrialCursor cursor(*database_, {}, Reading::kAll);
  cursor.seek_to_first();
  while (cursor.is_valid()) {
    if (!cursor.read_group()) continue;
    ++counts.records;
    if (!visit(cursor.key(), cursor.folded())) break;
  }
  counts.damaged = cursor.damaged();
  TRIODE_TRY(cursor.status());
  return counts;
}

Result<StoreCounts> MeasurementStore::for_each_trial(const Visit& visit) const {
  return for_each_numbered_trial([&](const SampleKey& key, const TrialRecord& record,
                                     std::optional<uint64_t>) { return visit(key, record); });
}

Result<StoreCounts> MeasurementStore::for_each_numbered_trial(const VisitNumbered& visit) const {
  StoreCounts counts;
  TrialCursor cursor(*database_, {}, Reading::kAll);
  cursor.seek_to_first();
  for (bool goes_on = true; goes_on && cursor.is_valid();) {
    if (!cursor.read_group()) continue;
    for (size_t i = 0; goes_on && i < cursor.trials().size(); ++i) {
      ++counts.records;
      goes_on = visit(cursor.key(), cursor.trials()[i], trial_number(cursor.ids()[i]));
    }
  }
  counts.damaged = cursor.damaged();
  TRIODE_TRY(cursor.status());
  return counts;
}

Result<StoreCounts> MeasurementStore::count() const {
  return for_each([](const SampleKey&, const TrialRecord&) { return true; });
}

Result<SummaryCounts> MeasurementStore::summaries(
    const TrialFilter& filter, const std::function<bool(const ProblemSummary&)>& visit) const {
  return for_each_summary(*database_, filter, visit);
}

Result<std::vector<std::string>> MeasurementStore::devices() const {
  std::vector<std::string> devices;
  TrialCursor cursor(*database_);
  cursor.seek_to_first();
  while (cursor.is_valid()) {
    const size_t end = end_of_components(cursor.bytes(), 1);
    if (end == std::string_view::npos) {
      (void)cursor.read_group();  // no key of ours
      continue;
    }
    const std::string prefix(cursor.bytes().substr(0, end));
    devices.push_back(split_components(prefix)[0]);
    cursor.seek(after_prefix(prefix));
  }
  TRIODE_TRY(cursor.status());
  return devices;
}

Result<std::vector<Problem>> MeasurementStore::problems(const std::string& device,
                                                        const TrialFilter& filter,
                                                        int64_t limit) const {
  std::vector<Problem> problems;
  if (limit <= 0) return problems;
  TrialCursor cursor(*database_);
  TRIODE_TRY(
      for_each_problem(cursor, device, filter, [&](const std::string&, const Problem& problem) {
        problems.push_back(problem);
        return static_cast<int64_t>(problems.size()) < limit;
      }));
  return problems;
}

}  // namespace triode
