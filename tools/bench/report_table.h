// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

#include "tools/bench/results.h"
#include "tools/bench/summary.h"

namespace triode::bench {

// Results as text for people: a line per shape as soon as it is there, the summary at the end.
// The stream must outlive the table.
class ReportTable {
 public:
  // The first column fits `longest_name`, as far as a line may go.
  ReportTable(std::ostream& out, std::size_t longest_name);

  // The machine, its limits and the peers; then the head of the table.
  void begin(const BenchResults& results);
  void row(const ShapeResult& result);
  void failed(const FailedShape& failed);
  void end(const BenchResults& results, const Summary& summary);

 private:
  void head();
  void thread_summary(const ThreadSummary& summary);

  std::ostream& out_;
  std::size_t name_width_;
  std::vector<std::string> peers_;
};

// What the demo shows: one peer, the speeds side by side, and the geometric mean as the last line.
class DemoTable {
 public:
  explicit DemoTable(std::ostream& out) : out_(out) {}

  void begin(const BenchResults& results);
  void row(const ShapeResult& result);
  void end(const Summary& summary);

 private:
  std::ostream& out_;
  std::string peer_;
};

}  // namespace triode::bench
