// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/measurement.h"
#include "core/outcome.h"

namespace triode {

// The vendor's kernel, timed in turns with the config.
struct VendorTime {
  double median_ns = 0;
  double speedup = 0;         // median over rounds of vendor time / config time
  double speedup_spread = 0;  // of those ratios

  bool operator==(const VendorTime&) const = default;
};

// What the device's clocks were during the trial.
struct Clocks {
  int32_t core_mhz = 0;
  int32_t memory_mhz = 0;  // 0: not known

  bool operator==(const Clocks&) const = default;
};

// Names in TrialRecord::extra of imported trials: the place in the file it came from, which is no
// part of what the trial says, and which of several alike in that file it is, from the second on.
inline constexpr const char* kPlaceInSource = "order";
inline constexpr const char* kCopyInSource = "copy";

// What is kept of a trial: how it ended, how long a call took, and when. Its config, problem and
// target are its key. Also what several trials of one key fold into (cache/fold.h).
struct TrialRecord {
  Outcome outcome;
  Measurement measurement;  // no samples (count 0) if it did not run
  int64_t when_unix_s =
      0;  // end of the trial, in seconds since 1970; the caller's clock; 0: unknown
  std::optional<VendorTime> vendor = {};
  std::optional<Clocks> clocks = {};

  int32_t trials = 1;  // that were folded into this one

  // Who made the trial: empty for Triode, else the format it was imported from ("diode-table").
  std::string origin = {};
  // What that format says and Triode has no field for, so that an export writes it again. Keys and
  // values are the importer's own; any bytes.
  std::map<std::string, std::string> extra = {};

  // Fields of a newer Triode: key and value pairs of msgpack, as they were read. Written again.
  std::string unknown = {};
  int32_t unknown_count = 0;

  bool operator==(const TrialRecord&) const = default;
};

}  // namespace triode
