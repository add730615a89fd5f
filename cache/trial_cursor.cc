// SPDX-License-Identifier: Apache-2.0
#include "cache/trial_cursor.h"

#include <utility>

#include "cache/fold.h"
#include "cache/key_codec.h"
#include "cache/record_codec.h"

namespace triode {
namespace {

constexpr int kComponentsBeforeId = 4;

}  // namespace

TrialCursor::TrialCursor(const Database& database, const std::string& prefix, Reading reading)
    : database_(database),
      end_(prefix.empty() ? "" : after_prefix(prefix)),
      bound_(end_),
      at_(database.iterate(Family::kMeasurements, end_.empty() ? nullptr : &bound_, reading)) {}

bool TrialCursor::read_group() {
  trials_.clear();
  ids_.clear();
  const size_t end = end_of_components(bytes(), kComponentsBeforeId);
  if (end == std::string_view::npos || !decode_sample_key(bytes(), key_).ok()) {
    ++damaged_;
    at_->Next();
    return false;
  }
  prefix_ = bytes().substr(0, end);
  for (; is_within(prefix_); at_->Next()) {
    Result<TrialRecord> record = decode_record(at_->value().ToStringView());
    if (!record.ok()) {
      ++damaged_;
      continue;
    }
    trials_.push_back(std::move(record).take());
    ids_.emplace_back(bytes().substr(end));
  }
  return !trials_.empty();
}

TrialRecord TrialCursor::folded() const {
  return fold(trials_);
}

Status TrialCursor::status() const {
  const rocksdb::Status status = at_->status();
  return status.ok() ? Status() : database_.explain("read", status);
}

}  // namespace triode
