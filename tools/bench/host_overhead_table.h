// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>

#include "tools/bench/host_overhead_results.h"
#include "tools/bench/host_overhead_summary.h"

namespace triode::bench {

// Results as text for people: a line per shape as soon as it is there, the rest at the end.
// The stream must outlive the table.
class HostOverheadTable {
 public:
  explicit HostOverheadTable(std::ostream& out) : out_(out) {}

  // The machine and the vendor; then the head of the table, with what is aimed at.
  void begin(const HostOverheadResults& results);
  void row(const OverheadShape& shape);
  void end(const HostOverheadResults& results, const HostOverheadSummary& summary);

 private:
  void thread_summary(const ThreadOverhead& overhead);
  void instructions(const HitInstructions& counted, const HostOverheadSummary& summary);
  void startup(const HostOverheadResults& results, const HostOverheadSummary& summary);

  std::ostream& out_;
};

}  // namespace triode::bench
