// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/report.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "runtime/host/vendor_name.h"
#include "runtime/host/warning.h"
#include "runtime/host/write_signal_block.h"

namespace triode::host {
namespace {

double time_of(const Report::Row& row) {
  return row.tally.by_vendor.total_ns() + row.tally.by_us.total_ns();
}

Status write_all(int file, const std::string& text) {
  const WriteSignalBlock block;
  for (size_t done = 0; done < text.size();) {
    const ssize_t written = write(file, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return unavailable(std::strerror(errno));
    done += static_cast<size_t>(written);
  }
  return {};
}

Status append_to(const std::string& path, const std::string& text) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) return unavailable(std::strerror(errno));
  const Status written = write_all(file, text);
  close(file);
  return written;
}

}  // namespace

double Report::Row::speedup() const {
  if (plan.speedup > 0 && plan.state != PlanState::kWithdrawn) return plan.speedup;
  const double ours = tally.by_us.mean_ns();
  const double vendors = tally.by_vendor.mean_ns();
  return ours > 0 && vendors > 0 ? vendors / ours : 0;
}

double Report::Row::saved_ns() const {
  return speedup() == 0 ? 0 : tally.by_us.total_ns() * (speedup() - 1);
}

uint64_t Report::calls() const {
  uint64_t sum = others.unlisted;
  for (const Row& row : rows) sum += row.tally.by_vendor.calls + row.tally.by_us.calls;
  return sum;
}

uint64_t Report::answered() const {
  uint64_t sum = 0;
  for (const Row& row : rows) sum += row.tally.by_us.calls;
  return sum;
}

double Report::total_ns() const {
  double sum = 0;
  for (const Row& row : rows) sum += time_of(row);
  return sum;
}

double Report::saved_ns() const {
  double sum = 0;
  for (const Row& row : rows) sum += row.saved_ns();
  return sum;
}

Report::Row describe_entry(const PlanEntry& entry, const PublishedPlans& published,
                           double tick_ns) {
  Report::Row row{.problem = to_string(entry.problem),
                  .vendor = vendor_name(entry.key),
                  .tally = tally_entry(entry.index, tick_ns),
                  .plan = {}};
  if (const auto plan = published.find(entry.index)) {
    row.plan = *plan;
    row.has_plan = true;
  }
  return row;
}

Report make_report(Mode mode, PlanTable& table, const PublishedPlans& published,
                   const TickClock& ticks) {
  Report report{.mode = std::string(to_string(mode)), .rows = {}, .others = tally_others()};
  const double tick_ns = ticks.nanoseconds_per_tick();
  table.for_each([&](const PlanEntry& entry) {
    Report::Row row = describe_entry(entry, published, tick_ns);
    if (row.tally.by_vendor.calls + row.tally.by_us.calls > 0) {
      report.rows.push_back(std::move(row));
    }
  });
  std::stable_sort(report.rows.begin(), report.rows.end(),
                   [](const auto& x, const auto& y) { return time_of(x) > time_of(y); });
  return report;
}

void write_report(const Settings& settings, PlanTable& table, const PublishedPlans& published,
                  const TickClock& ticks) {
  const Report report = make_report(settings.mode, table, published, ticks);
  const OtherTally& others = report.others;
  if (report.calls() + others.empty + others.invalid + others.uneven_batches == 0) return;
  const std::string text = settings.report_json ? to_json(report) + "\n" : to_table(report);
  const Status written = settings.report_file.empty() ? write_all(STDERR_FILENO, text)
                                                      : append_to(settings.report_file, text);
  if (!written.ok() && !settings.report_file.empty()) {
    warn_once("the report could not be written to " + settings.report_file + ": " +
              written.message());
  }
}

}  // namespace triode::host
