// SPDX-License-Identifier: Apache-2.0
#include "cache/exchange/timings_csv.h"

#include <utility>

#include "cache/exchange/timings_extra.h"
#include "cache/exchange/timings_reader.h"

namespace triode::exchange {
namespace {

constexpr double kNsPerMs = 1e6;

void set_config(const TimingsRow& timed, ExchangeRow& row) {
  if (timed.is_vendors) {
    row.config.family = "vendor";
    row.config.set("name", std::string("extern_mm"));
    return;
  }
  row.config.family = "triton";
  for (size_t i = 0; i < timed.config.size(); ++i) {
    if (timed.config[i] != 0) row.config.set(kTimingsParameters[i], int64_t{timed.config[i]});
  }
}

void set_times(const TimingsRow& timed, ExchangeRow& row) {
  if (timed.has_failed) {
    row.outcome = {OutcomeKind::kLaunchFailed,
                   timed.device.empty() ? "did not compile or run" : "no finite time"};
    return;
  }
  // The quartiles are not known; half of the whole range is the most they can be apart.
  row.measurement = {timed.median_ms * kNsPerMs, timed.least_ms * kNsPerMs,
                     (timed.greatest_ms - timed.least_ms) / 2 / timed.median_ms, timed.repeats};
}

}  // namespace

Result<ExchangeTable> read_timings(const SourceFile& file, const ImportOptions& options) {
  TimingsReader reader(file);
  TRIODE_TRY(reader.read_header());
  const bool is_full = reader.is_full_space();
  if (is_full && options.device.empty()) {
    return reader.error("the file does not name its device; give it with --device");
  }
  ExchangeTable table;
  while (TRIODE_TRY(reader.next())) {
    const TimingsRow& timed = reader.row();
    ExchangeRow& row = table.rows.emplace_back();
    row.target.device = is_full ? options.device : std::string(timed.device);
    row.target.toolchain = options.toolchain.empty() ? "csv" : options.toolchain;
    row.problem = timed.problem;
    row.extra[is_full ? kFullSpaceLine : kTimingsLine] = timed.line;
    set_config(timed, row);
    set_times(timed, row);
  }
  return table;
}

}  // namespace triode::exchange
