// SPDX-License-Identifier: Apache-2.0
#include "cache/fold.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace triode {
namespace {

// Times are positive, and twice as fast is as far as twice as slow: logarithms are what adds up.
// A time of zero, from a clock too coarse, has none, and counts as a thousandth of a nanosecond.
constexpr double kLeastNs = 1e-3;

// Places and spreads of several groups of samples as of one: the law of total variance, which gives
// the same whatever is put together first.
class Pool {
 public:
  void add(double value, double spread, double weight) {
    const double place = std::log(std::max(value, kLeastNs));
    const double total = weight_ + weight;
    const double distance = place - place_;
    place_ += distance * weight / total;
    between_ += distance * distance * weight_ * weight / total;
    within_ += spread * spread * weight;
    weight_ = total;
    ++groups_;
    last_value_ = value;
    last_spread_ = spread;
  }
  // One group comes out as it went in, to the bit.
  double place() const { return groups_ == 1 ? last_value_ : std::exp(place_); }
  double spread() const {
    return groups_ == 1 ? last_spread_ : std::sqrt((within_ + between_) / weight_);
  }
  bool is_empty() const { return groups_ == 0; }

 private:
  double place_ = 0;
  double within_ = 0;
  double between_ = 0;
  double weight_ = 0;
  double last_value_ = 0;
  double last_spread_ = 0;
  int groups_ = 0;
};

int32_t sum_up_to_most(int32_t a, int32_t b) {
  const int64_t sum = int64_t{a} + b;
  return static_cast<int32_t>(std::min<int64_t>(sum, std::numeric_limits<int32_t>::max()));
}

void fold_times(const std::vector<const TrialRecord*>& records, TrialRecord& into) {
  Pool own;
  Pool vendor;
  Pool speedup;
  into.measurement = {};
  for (const TrialRecord* record : records) {
    const Measurement& m = record->measurement;
    if (m.count > 0) {
      into.measurement.min_ns =
          own.is_empty() ? m.min_ns : std::min(into.measurement.min_ns, m.min_ns);
      own.add(m.median_ns, m.spread, m.count);
      into.measurement.count = sum_up_to_most(into.measurement.count, m.count);
    }
    if (record->vendor) {
      const double weight = std::max(m.count, 1);
      vendor.add(record->vendor->median_ns, 0, weight);
      speedup.add(record->vendor->speedup, record->vendor->speedup_spread, weight);
    }
  }
  if (!own.is_empty()) {
    into.measurement.median_ns = own.place();
    into.measurement.spread = own.spread();
  }
  into.vendor.reset();
  if (!vendor.is_empty()) {
    into.vendor = VendorTime{.median_ns = vendor.place(),
                             .speedup = speedup.place(),
                             .speedup_spread = speedup.spread()};
  }
}

const Outcome& outcome_of(const std::vector<const TrialRecord*>& oldest_first) {
  for (const TrialRecord* record : oldest_first) {
    if (record->outcome.kind == OutcomeKind::kWrongResult) return record->outcome;
  }
  return oldest_first.back()->outcome;
}

int rank_of(const TrialRecord& record) {
  if (record.measurement.count == 0) return 2;
  if (record.outcome.ok()) return 0;
  return record.outcome.kind == OutcomeKind::kUnstable ? 1 : 2;
}

}  // namespace

TrialRecord fold(std::span<const TrialRecord> records) {
  assert(!records.empty());
  if (records.size() == 1) return records.front();
  std::vector<const TrialRecord*> oldest_first;
  oldest_first.reserve(records.size());
  for (const TrialRecord& record : records) oldest_first.push_back(&record);
  std::stable_sort(
      oldest_first.begin(), oldest_first.end(),
      [](const TrialRecord* a, const TrialRecord* b) { return a->when_unix_s < b->when_unix_s; });
  const TrialRecord& latest = *oldest_first.back();
  TrialRecord folded;
  folded.outcome = outcome_of(oldest_first);
  folded.when_unix_s = latest.when_unix_s;
  folded.origin = latest.origin;
  folded.trials = 0;
  for (const TrialRecord* record : oldest_first) {
    folded.trials = sum_up_to_most(folded.trials, record->trials);
    if (record->clocks) folded.clocks = record->clocks;
    if (record->origin.empty()) folded.origin.clear();
    for (const auto& [name, value] : record->extra) folded.extra[name] = value;
    if (record->unknown_count > 0) {
      folded.unknown = record->unknown;
      folded.unknown_count = record->unknown_count;
    }
  }
  fold_times(oldest_first, folded);
  return folded;
}

bool may_fold(const TrialRecord& a, const TrialRecord& b) {
  return a.origin.empty() && b.origin.empty() && a.extra == b.extra && a.unknown == b.unknown;
}

bool is_better(const TrialRecord& a, const TrialRecord& b) {
  return std::pair(rank_of(a), a.measurement.median_ns) <
         std::pair(rank_of(b), b.measurement.median_ns);
}

}  // namespace triode
