// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/settings.h"
#include "runtime/host/call_tally.h"
#include "runtime/host/plan_table.h"
#include "runtime/host/published_plans.h"
#include "runtime/host/tick_clock.h"

namespace triode::host {

// What this process has seen and done, summed up.
struct Report {
  struct Row {
    std::string problem;
    std::string vendor;
    EntryTally tally;
    PublishedPlan plan;
    bool has_plan = false;  // `plan` says something

    // As measured in turns when the plan was found; else, and where that was taken back, the
    // vendor's mean time over ours as the program saw them, at different times; 0 if neither is
    // known.
    double speedup() const;
    // What our calls would have taken longer with the vendor; below zero if they took longer.
    double saved_ns() const;
  };
  std::string mode;
  std::vector<Row> rows;  // most time first
  OtherTally others;

  uint64_t calls() const;     // with something to multiply
  uint64_t answered() const;  // of these, by us
  double total_ns() const;
  double saved_ns() const;
};

// One row, calls or none. `tick_ns` is TickClock::nanoseconds_per_tick().
Report::Row describe_entry(const PlanEntry& entry, const PublishedPlans& published, double tick_ns);

Report make_report(Mode mode, PlanTable& table, const PublishedPlans& published,
                   const TickClock& ticks);

std::string to_table(const Report& report);
std::string to_json(const Report& report);  // one line

// Makes the report and writes it where the settings say: appended to a file, so that the processes
// of one run can share it, or to stderr. Nothing if there was no call. What goes wrong is a
// warning. Throws std::bad_alloc.
void write_report(const Settings& settings, PlanTable& table, const PublishedPlans& published,
                  const TickClock& ticks);

}  // namespace triode::host
