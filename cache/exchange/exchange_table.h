// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cache/exchange/foreign_config.h"
#include "core/measurement.h"
#include "core/outcome.h"
#include "core/problem.h"
#include "core/target.h"

namespace triode::exchange {

// What a format says beyond the fields of ExchangeRow, by names of that format's own: what an
// export needs to write the same file again.
using Extra = std::map<std::string, std::string>;

// One timing, or one choice without a timing, of another tool.
struct ExchangeRow {
  Target target;  // what the file says of it: seldom more than the device's name and a version
  Problem problem;
  ForeignConfig config;
  Outcome outcome;
  Measurement measurement;  // count 0: the tool names the config and no time
  int64_t when_unix_s = 0;  // 0: not known
  int32_t trials = 1;       // that were folded into this one: above 1, `extra` is of the latest
  Extra extra;
};

// Whether `a` is the one to keep where a format has room for one time of a config: one that was
// timed before one that failed, then the lesser time.
bool is_better(const ExchangeRow& a, const ExchangeRow& b);

// Things that could not come along, with the reason: what another format cannot hold, or what
// Triode cannot.
class DropList {
 public:
  struct Entry {
    std::string reason;
    int64_t count = 0;
    std::string example;  // the first one
  };

  void add(std::string_view reason, std::string_view example);
  void add_all(const DropList& other);
  const std::vector<Entry>& entries() const { return entries_; }
  int64_t count() const;

 private:
  std::vector<Entry> entries_;  // in the order they came up; one per reason
};

// The contents of a file of another tool, in Triode's terms. Rows stand in the order of the file.
struct ExchangeTable {
  std::vector<ExchangeRow> rows;
  DropList dropped;
};

}  // namespace triode::exchange
