// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/config.h"
#include "core/kernel_family.h"
#include "core/outcome.h"
#include "core/problem.h"
#include "core/space.h"
#include "core/status.h"

namespace triode {

// Times of one thing, as recorded: seconds per call.
struct RecordedTime {
  double median_s = 0;
  double min_s = 0;
  double max_s = 0;
  int32_t repeats = 1;
};

struct RecordedTrial {
  Config config;  // of RecordedTimings::space
  Outcome outcome;
  RecordedTime time;  // of a trial that ended ok
};

// All that was recorded of one problem on one device.
struct RecordedProblem {
  std::string device;   // short name: "a100"
  std::string dataset;  // where the row came from: "a100_timm_train"; empty if not said
  Problem problem;
  bool has_vendor = false;
  RecordedTime vendor;
  std::vector<RecordedTrial>
      trials;  // by rising Space::index_of: never in the order of their times
};

// Timings that others measured. The space holds the values that occur, and no rules.
struct RecordedTimings {
  KernelFamily family = KernelFamily::kInductor;
  Space space;  // block_m, block_n, block_k, group_m, num_stages, num_warps
  std::vector<RecordedProblem> problems;  // in the order of first occurrence
  std::string digest;                     // sha256 of the text, uncompressed; hexadecimal
};

// Reads either of the tables that cache/exchange/timings_reader.h describes, or a Dataset of diode
// (JSON; from a file msgpack too), as `triode cache import` does. `device` serves the table without
// a device column. kInvalidArgument names the line. Repeats of a config keep the first; kernels of
// a Dataset that have no tile are passed over. Costs some microseconds a row.
Result<RecordedTimings> parse_recorded_timings(std::string_view text, std::string_view device);

// The same from a file, which may be compressed (gzip). Fails as exchange::SourceFile::read does.
Result<RecordedTimings> read_recorded_timings(const std::string& path, std::string_view device);

}  // namespace triode
