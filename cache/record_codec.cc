// SPDX-License-Identifier: Apache-2.0
#include "cache/record_codec.h"

#include <cmath>
#include <cstdint>
#include <utility>

#include "cache/field_map.h"

namespace triode {
namespace {

bool is_time(double value) {
  return std::isfinite(value) && value >= 0;
}

// A spread may be infinite: core/measurement.cc says so of a clock too coarse.
bool is_sound(const TrialRecord& record) {
  const Measurement& m = record.measurement;
  if (!is_time(m.median_ns) || !is_time(m.min_ns) || !(m.spread >= 0) || m.count < 0) return false;
  if (record.trials < 1 || record.unknown_count < 0) return false;
  if (!record.vendor) return true;
  return is_time(record.vendor->median_ns) && is_time(record.vendor->speedup) &&
         record.vendor->speedup_spread >= 0;
}

void write_vendor(const VendorTime& vendor, FieldWriter& fields) {
  fields.add("vendor_ns", vendor.median_ns);
  fields.add("speedup", vendor.speedup);
  fields.add("speedup_spread", vendor.speedup_spread);
}

void write_clocks(const Clocks& clocks, FieldWriter& fields) {
  fields.add("core_mhz", int64_t{clocks.core_mhz});
  if (clocks.memory_mhz != 0) fields.add("memory_mhz", int64_t{clocks.memory_mhz});
}

void read_vendor(FieldReader& fields, TrialRecord& record) {
  VendorTime vendor;
  if (!fields.read("vendor_ns", vendor.median_ns)) return;
  fields.require("speedup", vendor.speedup);
  fields.require("speedup_spread", vendor.speedup_spread);
  record.vendor = vendor;
}

void read_clocks(FieldReader& fields, TrialRecord& record) {
  Clocks clocks;
  if (!fields.read("core_mhz", clocks.core_mhz)) return;
  fields.read("memory_mhz", clocks.memory_mhz);
  record.clocks = clocks;
}

}  // namespace

Result<std::string> encode_record(const TrialRecord& record) {
  if (!is_sound(record)) {
    return invalid_argument("cannot store a trial whose times are negative or not finite");
  }
  FieldWriter fields;
  fields.add("outcome", to_string(record.outcome.kind));
  if (!record.outcome.reason.empty()) fields.add("reason", record.outcome.reason);
  fields.add("median_ns", record.measurement.median_ns);
  fields.add("min_ns", record.measurement.min_ns);
  fields.add("spread", record.measurement.spread);
  fields.add("count", int64_t{record.measurement.count});
  fields.add("when", record.when_unix_s);
  if (record.vendor) write_vendor(*record.vendor, fields);
  if (record.clocks) write_clocks(*record.clocks, fields);
  if (record.trials != 1) fields.add("trials", int64_t{record.trials});
  if (!record.origin.empty()) fields.add("origin", record.origin);
  if (!record.extra.empty()) fields.add("extra", record.extra);
  return fields.seal(record.unknown, record.unknown_count);
}

Result<TrialRecord> decode_record(std::string_view bytes) {
  FieldReader fields = TRIODE_TRY(FieldReader::open(bytes));
  TrialRecord record;
  std::string_view outcome;
  if (fields.read_text("outcome", outcome)) {
    const Result<OutcomeKind> kind = parse_outcome_kind(outcome);
    if (!kind.ok()) return corrupt("a stored value is damaged: " + kind.status().message());
    record.outcome.kind = *kind;
  } else {
    return corrupt("a stored value is damaged: it has no field outcome");
  }
  fields.read("reason", record.outcome.reason);
  fields.require("median_ns", record.measurement.median_ns);
  fields.require("min_ns", record.measurement.min_ns);
  fields.require("spread", record.measurement.spread);
  fields.require("count", record.measurement.count);
  fields.require("when", record.when_unix_s);
  read_vendor(fields, record);
  read_clocks(fields, record);
  fields.read("trials", record.trials);
  fields.read("origin", record.origin);
  fields.read("extra", record.extra);
  TRIODE_TRY(fields.finish(record.unknown, record.unknown_count));
  if (!is_sound(record)) {
    return corrupt("a stored value is damaged: its times are negative or not finite");
  }
  return record;
}

}  // namespace triode
