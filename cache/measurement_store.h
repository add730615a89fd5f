// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cache/keyed_trial.h"
#include "cache/problem_summary.h"
#include "cache/sample_key.h"
#include "cache/store_mode.h"
#include "cache/trial_filter.h"
#include "cache/trial_record.h"
#include "core/config.h"
#include "core/problem.h"
#include "core/space.h"
#include "core/status.h"
#include "core/target.h"

namespace triode {

class Database;

struct ConfigTrial {
  Config config;
  TrialRecord record;
};

// What is known of a config. The config's text is for Space::parse, which refuses what a newer
// space has no place for.
struct StoredTrial {
  std::string config;
  TrialRecord record;  // folded from all its trials
  std::string device = {};
  Validity validity = {};
  std::string why_prior = {};  // why it is no answer for whoever asked; empty: it is one

  bool is_prior() const { return !why_prior.empty(); }
};

struct FoundTrials {
  std::vector<StoredTrial> trials;
  int64_t damaged = 0;  // records passed over because their bytes make no sense
};

enum class Priors : uint8_t {
  kNone,
  kSameDevice,  // other toolchains and drivers
  kAllDevices,  // costs a look-up per device known
};

struct StoreCounts {
  int64_t records = 0;  // what was visited: trials of one key count once
  int64_t damaged = 0;
};

// Every trial ever made, on disk, by device, problem, config and validity. Trials are appended, and
// those of one key are folded when read (cache/fold.h). Any thread may call. One writer per folder,
// whichever process. A damaged record is counted and passed over.
//
//   auto store = TRIODE_TRY(MeasurementStore::open(folder, StoreMode::kReadWrite));
//   TRIODE_TRY(store->put_all(target, problem, space, trials));
//   const FoundTrials known = TRIODE_TRY(store->find(target, problem));
class MeasurementStore {
 public:
  // The measurements of a cache alone, with the default options; Cache::open has the rest, and says
  // how it fails.
  static Result<std::unique_ptr<MeasurementStore>> open(const std::string& path, StoreMode mode);

  explicit MeasurementStore(std::shared_ptr<Database> database);
  MeasurementStore(const MeasurementStore&) = delete;
  MeasurementStore& operator=(const MeasurementStore&) = delete;
  ~MeasurementStore();

  // Adds a trial. As safe as StoreOptions::sync says when it returns. kResourceExhausted on a full
  // disk, kInvalidArgument for times that are not finite, kUnsupported if opened to read.
  Status put(const Target& target, const Problem& problem, const Space& space, const Config& config,
             const TrialRecord& record);
  // All of them or, on an error, none. One write, so put_all where there are many.
  Status put_all(const Target& target, const Problem& problem, const Space& space,
                 std::span<const ConfigTrial> trials);
  // The same for trials of any keys. Those with an origin are stored once, however often they are
  // appended: importing a file again changes nothing.
  Status append(std::span<const KeyedTrial> trials);

  // What is known of this problem on this very target, toolchain and driver included. Best first:
  // those that ended ok by median time, then the unstable ones likewise, then the failed.
  Result<FoundTrials> find(const Target& target, const Problem& problem) const;
  // The same for any validity and device text; then, if asked for, the priors, likewise.
  Result<FoundTrials> find(const std::string& device, const Problem& problem,
                           const Validity& validity, Priors priors) const;

  // What is known under this very key. One seek.
  Result<std::optional<TrialRecord>> get(const SampleKey& key) const;

  // Visits what matches, folded, in key order until `visit` returns false: devices, then problems
  // by op, dtype and sizes (numbers, not text), then configs. The key lives as long as that call.
  using Visit = std::function<bool(const SampleKey& key, const TrialRecord& record)>;
  Result<StoreCounts> scan(const TrialFilter& filter, const Visit& visit) const;
  // The same with every stored trial apart, each of which must match: for exports.
  Result<StoreCounts> scan_trials(const TrialFilter& filter, const Visit& visit) const;
  // Both for all.
  Result<StoreCounts> for_each(const Visit& visit) const;
  Result<StoreCounts> for_each_trial(const Visit& visit) const;
  // Every trial apart, with its number: they count up as trials come. An imported one has none.
  using VisitNumbered = std::function<bool(const SampleKey& key, const TrialRecord& record,
                                           std::optional<uint64_t> number)>;
  Result<StoreCounts> for_each_numbered_trial(const VisitNumbered& visit) const;
  // Reads every record.
  Result<StoreCounts> count() const;

  // The problems that match, summarized, in key order until `visit` returns false. Costs a look at
  // each problem, not at its records, unless they were written since they were last summarized.
  Result<SummaryCounts> summaries(const TrialFilter& filter,
                                  const std::function<bool(const ProblemSummary&)>& visit) const;

  // Devices with records, in order; problems of a device that match, likewise, at most `limit`. A
  // seek each, whatever the number of records.
  Result<std::vector<std::string>> devices() const;
  Result<std::vector<Problem>> problems(const std::string& device, const TrialFilter& filter = {},
                                        int64_t limit = INT64_MAX) const;

 private:
  std::shared_ptr<Database> database_;
};

}  // namespace triode
